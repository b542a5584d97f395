#pragma once

class vtkGenericOpenGLRenderWindow;

namespace isolume::scene {

/// Readies a render window for an OpenGL context that somebody else made; call before `start_gl`.
void use_foreign_context(vtkGenericOpenGLRenderWindow& window);
/// Loads the OpenGL functions. The context must be current.
void start_gl(vtkGenericOpenGLRenderWindow& window);

}  // namespace isolume::scene
