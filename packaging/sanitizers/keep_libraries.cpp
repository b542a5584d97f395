// Linked into sanitized programs that open a display or run on ranks: libraries stay loaded to the end. Mesa's driver and
// the plugins of Open MPI are unloaded before otherwise, and what they keep is then a leak that no suppression can name.
extern "C" int dlclose(void*) {
  return 0;
}
