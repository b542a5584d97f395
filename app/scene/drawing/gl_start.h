#pragma once

class vtkGenericOpenGLRenderWindow;

namespace isolume::scene {

/// Prepares a render window for an OpenGL context created elsewhere; call before `start_gl`.
void use_foreign_context(vtkGenericOpenGLRenderWindow& window);
/// Loads the OpenGL functions. The context must be current.
void start_gl(vtkGenericOpenGLRenderWindow& window);

}  // namespace isolume::scene
