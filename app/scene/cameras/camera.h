#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

class vtkRenderer;

namespace isolume::scene {

/// A vector from three numbers of VTK.
inline Eigen::Vector3d vector_of(const double* numbers) {
  return {numbers[0], numbers[1], numbers[2]};
}

/// "front", "back", "left", "right", "top", "bottom", "isometric", "widest" (along the scene's thinnest
/// direction), "tilted" (the same, rotated so that both faces of a planar molecule are visible; the initial
/// view of labs).
const std::vector<std::string>& view_presets();
/// Rotates the camera and fits the scene. Throws Error naming the presets.
void view_from(vtkRenderer& renderer, std::string_view preset);
void reset_camera(vtkRenderer& renderer);

/// Distance of a camera: from its focal point in a perspective projection, and half the picture's height, in
/// the scene's unit, in a parallel one.
struct Stand {
  double distance = 0, scale = 0;
};
Stand stand(vtkRenderer& renderer);
/// The distance at which the scene fills at most this fraction of the picture; focal point and direction
/// stay.
Stand stand_to_fit(vtkRenderer& renderer, double part);
/// Moves the camera there along its line of sight.
void stand_at(vtkRenderer& renderer, const Stand& stand);

/// Makes a picture of another shape show what the view shows: from the same direction, with the scene filling
/// the picture as it fills the view; if the view shows a part only, at least that part. The picture's renderer needs
/// a window of the picture's size and resolution.
void look_like(vtkRenderer& view, vtkRenderer& picture);

/// Height of the picture at the depth of the focal point, in the scene's unit.
double view_height(vtkRenderer& renderer);

void set_orthographic(vtkRenderer& renderer, bool orthographic);
bool orthographic(const vtkRenderer& renderer);
/// Positive angles rotate the scene to the right / up; zoom > 1 enlarges; pan in fractions of the view's
/// height.
void orbit(vtkRenderer& renderer, double azimuth_degrees, double elevation_degrees);
/// The same about the vertical axis (z) through the focal point, which stays upright; never over the poles.
void orbit_upright(vtkRenderer& renderer, double azimuth_degrees, double elevation_degrees);
void zoom(vtkRenderer& renderer, double factor);
void pan(vtkRenderer& renderer, double right, double up);

/// The camera as text for `--camera` and for sessions: "px,py,pz,fx,fy,fz,ux,uy,uz[,scale]" in the scene's
/// unit (position, focal point, up; the parallel scale when orthographic), or a preset's name.
std::string camera_text(vtkRenderer& renderer);
void set_camera(vtkRenderer& renderer, std::string_view text);

}  // namespace isolume::scene
