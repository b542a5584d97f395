#pragma once

#include <QObject>
#include <memory>
#include <string>
#include <utility>

#include "app/workbench/contract/guarded.h"
#include "app/workbench/contract/lab.h"
#include "app/workbench/contract/translated.h"
#include "core/dispatch/engine_registry.h"

namespace isolume::workbench {

/// The engines of a lab before the devices are known.
template <class Engine>
std::shared_ptr<const dispatch::EngineRegistry<Engine>> one_engine(std::unique_ptr<Engine> cpu) {
  auto engines = std::make_shared<dispatch::EngineRegistry<Engine>>();
  engines->add(std::move(cpu));
  return engines;
}

/// For `Lab::devices_found`: runs `make` as a job of the lab, and passes its result to `take` on the GUI
/// thread, unless `object` no longer exists.
template <class Object, class Make, class Take>
void prepare_engines(const LabContext& context, const std::string& lab, Object* object, Make make,
                     Take take) {
  context.jobs.submit(said(QObject::tr("Prepare the engines")), lab + ".engines",
                      [object, make, take, to_gui = context.on_gui_thread](const jobs::Progress&) {
                        to_gui(guarded(object, [take, made = make()] { take(made); }));
                      });
}

}  // namespace isolume::workbench
