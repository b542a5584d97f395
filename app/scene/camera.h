#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

class vtkRenderer;

namespace isolume::scene {

/// Three numbers of VTK.
inline Eigen::Vector3d vector_of(const double* numbers) {
  return {numbers[0], numbers[1], numbers[2]};
}

/// "front", "back", "left", "right", "top", "bottom", "isometric", "widest" (along the scene's thinnest
/// direction), "tilted" (that, turned so that both faces of a planar molecule are seen: how labs start).
const std::vector<std::string>& view_presets();
/// Turns the camera and fits the scene. Throws Error naming the presets.
void view_from(vtkRenderer& renderer, std::string_view preset);
void reset_camera(vtkRenderer& renderer);

/// How far back a camera stands: from its focal point for perspective, and half the picture's height, in
/// the scene's unit, where it is orthographic.
struct Stand {
  double distance = 0, scale = 0;
};
Stand stand(vtkRenderer& renderer);
/// Where the camera would have to stand, looking at the same point in the same direction, so that the scene
/// fills this part of the picture at most.
Stand stand_to_fit(vtkRenderer& renderer, double part);
/// Moves it there along its line of sight.
void stand_at(vtkRenderer& renderer, const Stand& stand);

/// Shows in a picture what the view shows, whatever their shapes: seen from the same side, filling the
/// picture as it fills the view; where the view shows a part only, that part and no more than all. The
/// picture's renderer needs a window of the picture's size.
void look_like(vtkRenderer& view, vtkRenderer& picture);

/// Of the picture at the depth of the focal point, in the scene's unit.
double view_height(vtkRenderer& renderer);

void set_orthographic(vtkRenderer& renderer, bool orthographic);
bool orthographic(const vtkRenderer& renderer);
/// Positive angles turn the scene to the right / up; zoom > 1 enlarges; pan in fractions of the view's
/// height.
void orbit(vtkRenderer& renderer, double azimuth_degrees, double elevation_degrees);
/// The same about the vertical (z) through the focal point, which stays upright; never over the poles.
void orbit_upright(vtkRenderer& renderer, double azimuth_degrees, double elevation_degrees);
void zoom(vtkRenderer& renderer, double factor);
void pan(vtkRenderer& renderer, double right, double up);

/// The camera as text for `--camera` and for sessions: "px,py,pz,fx,fy,fz,ux,uy,uz[,scale]" in the scene's
/// unit (position, focal point, up; the parallel scale when orthographic), or a preset's name.
std::string camera_text(vtkRenderer& renderer);
void set_camera(vtkRenderer& renderer, std::string_view text);

}  // namespace isolume::scene
