#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "core/commands/lab_description.h"
#include "core/fields/source.h"
#include "core/parameters/schema.h"

namespace isolume::fields {

/// Parameters, and the field that is computed of their values.
class FieldModel {
 public:
  virtual ~FieldModel() = default;
  virtual parameters::ParameterSet& parameters() = 0;
  virtual std::shared_ptr<const FieldSource> source() const = 0;
};

/// A lab whose document is a field that it computes, without a file: declared once for the window (computed_field_lab.h)
/// and isolume-batch (app/batch/computed_field_verbs.h).
struct ComputedField {
  std::string name, title, summary;  ///< as in LabDescription
  std::string unit;                  ///< of the field: "mV"
  std::string length_unit;           ///< of coordinates, as scenes show them: "mm"
  double reach;                      ///< the largest coordinate
  std::string time =
      {};  ///< key of the parameter through which time runs, again and again; empty: there is none
  std::function<std::unique_ptr<FieldModel>()> make;
};

/// A model of a parameter struct and a function of it.
template <class Parameters>
std::function<std::unique_ptr<FieldModel>()> model_of(
    const parameters::Schema<Parameters>& schema,
    std::shared_ptr<const FieldSource> (*source)(const Parameters&)) {
  class Model final : public FieldModel {
   public:
    Model(const parameters::Schema<Parameters>& described,
          std::shared_ptr<const FieldSource> (*source_of)(const Parameters&))
        : set_(described, values_), source_of_(source_of) {}
    parameters::ParameterSet& parameters() override { return set_; }
    std::shared_ptr<const FieldSource> source() const override { return source_of_(values_); }

   private:
    Parameters values_;
    parameters::StructParameters<Parameters> set_;
    std::shared_ptr<const FieldSource> (*source_of_)(const Parameters&);
  };
  return [&schema, source] { return std::make_unique<Model>(schema, source); };
}

/// With the commands of the field, and of its clock where time runs.
LabDescription describe(const ComputedField& field);

}  // namespace isolume::fields
