#include "core/filters/itk_image.h"

#include <typeinfo>

#include <fmt/format.h>
#include <itkCommand.h>
#include <itkMultiThreaderBase.h>
#include <itkObjectFactoryBase.h>
#include <itkVersion.h>
#include <tbb/blocked_range.h>

#include "core/base/error.h"
#include "core/base/handover.h"

namespace isolume::filters {
namespace {

/// Runs ITK's work units on TBB's threads. Their number is fixed, since some filters add up sums unit by unit. More of them
/// would overlap more: filters of neighbourhoods compute the surroundings of each.
class ArenaThreader final : public itk::MultiThreaderBase {
 public:
  using Self = ArenaThreader;
  using Superclass = itk::MultiThreaderBase;
  using Pointer = itk::SmartPointer<Self>;
  itkFactorylessNewMacro(Self);

  void SetSingleMethod(itk::ThreadFunctionType method, void* data) override {
    m_SingleMethod = method;
    m_SingleData = data;
  }
  void SingleMethodExecute() override {
    if (m_SingleMethod == nullptr) return;
    using Range = tbb::blocked_range<itk::ThreadIdType>;
    handover::parallel_for(Range(0, m_NumberOfWorkUnits), [this](const Range& part) {
      for (itk::ThreadIdType i = part.begin(); i != part.end(); ++i) {
        WorkUnitInfo unit{};
        unit.WorkUnitID = i;
        unit.NumberOfWorkUnits = m_NumberOfWorkUnits;
        unit.UserData = m_SingleData;
        m_SingleMethod(&unit);
      }
    });
  }

 protected:
  ArenaThreader() {
    constexpr itk::ThreadIdType units = 16;
    m_MaximumNumberOfThreads = m_NumberOfWorkUnits = units;
  }
};

/// Gives ITK's filters the threader above.
class ThreaderFactory final : public itk::ObjectFactoryBase {
 public:
  using Self = ThreaderFactory;
  using Superclass = itk::ObjectFactoryBase;
  using Pointer = itk::SmartPointer<Self>;
  itkFactorylessNewMacro(Self);

  const char* GetITKSourceVersion() const override { return ITK_SOURCE_VERSION; }
  const char* GetDescription() const override { return "Threads of TBB's arena"; }

 protected:
  ThreaderFactory() {
    RegisterOverride(typeid(itk::MultiThreaderBase).name(), typeid(ArenaThreader).name(),
                     "Threads of TBB's arena", true, itk::CreateObjectFunction<ArenaThreader>::New());
  }
};

/// Reports the progress of a filter and stops it. ITK calls it from the thread that runs the filter.
class Observer final : public itk::Command {
 public:
  using Self = Observer;
  using Superclass = itk::Command;
  using Pointer = itk::SmartPointer<Self>;
  itkFactorylessNewMacro(Self);

  jobs::Progress progress;
  int iterations = 0;

  void Execute(itk::Object* caller, const itk::EventObject& event) override {
    auto& filter = dynamic_cast<itk::ProcessObject&>(*caller);
    if (itk::IterationEvent().CheckEvent(&event)) {
      progress.check();
      if (iterations > 0) progress.report(static_cast<double>(++done_) / iterations);
    } else {
      if (progress.cancelled()) filter.AbortGenerateDataOn();
      if (iterations == 0) progress.report(static_cast<double>(filter.GetProgress()));
    }
  }
  void Execute(const itk::Object*, const itk::EventObject&) override {}

 private:
  int done_ = 0;
};

}  // namespace

void use_arena_for_itk() {
  static const bool is_registered = [] {
    return itk::ObjectFactoryBase::RegisterFactory(ThreaderFactory::New());
  }();
  static_cast<void>(is_registered);
}

void run(itk::ProcessObject& filter, std::string_view name, const jobs::Progress& progress, int iterations) {
  const auto observer = Observer::New();
  observer->progress = progress;
  observer->iterations = iterations;
  filter.AddObserver(itk::ProgressEvent(), observer);
  filter.AddObserver(itk::IterationEvent(), observer);
  progress.check();
  try {
    filter.Update();
  } catch (const itk::ProcessAborted&) {
    throw Cancelled();
  } catch (const itk::ExceptionObject& error) {
    throw Error(fmt::format("{}: ITK refused: {}. Change the parameters or the image.", name,
                            error.GetDescription()));
  }
}

}  // namespace isolume::filters
