#pragma once

#include <QObject>
#include <memory>
#include <string>
#include <utility>

#include "app/workbench/guarded.h"
#include "app/workbench/lab.h"
#include "app/workbench/translated.h"
#include "core/dispatch/engine_registry.h"

namespace isolume::workbench {

/// What a lab computes with until the devices are known.
template <class Engine>
std::shared_ptr<const dispatch::EngineRegistry<Engine>> one_engine(std::unique_ptr<Engine> cpu) {
  auto engines = std::make_shared<dispatch::EngineRegistry<Engine>>();
  engines->add(std::move(cpu));
  return engines;
}

/// For `Lab::devices_found`: `make` runs as a job of the lab, and `take` gets what it gave on the GUI thread, unless
/// `object` is gone by then.
template <class Object, class Make, class Take>
void prepare_engines(const LabContext& context, const std::string& lab, Object* object, Make make,
                     Take take) {
  context.jobs.submit(said(QObject::tr("Prepare the engines")), lab + ".engines",
                      [object, make, take, to_gui = context.on_gui_thread](const jobs::Progress&) {
                        to_gui(guarded(object, [take, made = make()] { take(made); }));
                      });
}

}  // namespace isolume::workbench
