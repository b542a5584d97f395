#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/parameters/description.h"

namespace isolume::parameters {

/// One member of a parameter struct with its description. Made by `field(...)`, refined by chaining:
///   field("isovalue", &P::isovalue, "Isovalue").unit("bohr^-3/2").range(1e-6, 10).logarithmic().help("...")
template <class Struct>
class Field {
 public:
  Description description;
  std::function<Value(const Struct&)> get;
  std::function<void(Struct&, const Value&)> set;

  Field&& unit(std::string text) && { return description.unit = std::move(text), std::move(*this); }
  Field&& help(std::string text) && { return description.help = std::move(text), std::move(*this); }
  Field&& group(std::string text) && { return description.group = std::move(text), std::move(*this); }
  /// The key in sessions of earlier versions, which are still read.
  Field&& formerly(std::string key) && { return description.former_key = std::move(key), std::move(*this); }
  Field&& logarithmic() && { return description.scale = Scale::logarithmic, std::move(*this); }
  Field&& colour() && { return description.colour = true, std::move(*this); }
  Field&& only_when(std::string key, std::vector<std::string> values) && {
    description.relevant_when = {std::move(key), std::move(values)};
    return std::move(*this);
  }
  Field&& usual(double low, double high) && {
    description.usual = Range{low, high};
    return std::move(*this);
  }
  /// A number that stands for something else than an amount, and what panels, help and manual call it.
  Field&& special(double value, std::string label) && {
    description.special_values.push_back({value, std::move(label)});
    return std::move(*this);
  }
  Field&& range(double low, double high) && {
    description.low = low;
    description.high = high;
    return std::move(*this);
  }
};

template <class Struct, class Member>
requires(!std::is_enum_v<Member>) Field<Struct> field(std::string key, Member Struct::*member,
                                                      std::string label) {
  using Stored = std::conditional_t<
      std::same_as<Member, bool>, bool,
      std::conditional_t<std::integral<Member>, std::int64_t,
                         std::conditional_t<std::floating_point<Member>, double, std::string>>>;
  Field<Struct> made;
  made.description.key = std::move(key);
  made.description.label = std::move(label);
  made.description.kind = std::same_as<Stored, bool>           ? Kind::flag
                          : std::same_as<Stored, std::int64_t> ? Kind::integer
                          : std::same_as<Stored, double>       ? Kind::real
                                                               : Kind::text;
  made.get = [member](const Struct& from) { return Value(static_cast<Stored>(from.*member)); };
  made.set = [member](Struct& to, const Value& value) {
    to.*member = static_cast<Member>(std::get<Stored>(value));
  };
  return made;
}

/// An enum class whose values are 0, 1, 2 ...; `choices` in that order.
template <class Struct, class Member>
requires std::is_enum_v<Member> Field<Struct> field(std::string key, Member Struct::*member,
                                                    std::string label, std::vector<Choice> choices) {
  Field<Struct> made;
  made.description.key = std::move(key);
  made.description.label = std::move(label);
  made.description.kind = Kind::choice;
  made.description.choices = choices;
  made.get = [member, choices](const Struct& from) {
    return Value(choices.at(static_cast<std::size_t>(from.*member)).key);
  };
  made.set = [member, choices](Struct& to, const Value& value) {
    for (std::size_t i = 0; i < choices.size(); ++i) {
      if (choices[i].key == std::get<std::string>(value)) to.*member = static_cast<Member>(i);
    }
  };
  return made;
}

/// The descriptions of all members of one parameter struct; its defaults are those of `Struct{}`.
template <class Struct>
class Schema {
 public:
  /// `fields`, then those that the schemas of the struct's bases describe. Fields of one group follow each other, at the place of its
  /// first one.
  template <class... Bases>
  explicit Schema(std::vector<Field<Struct>> fields, const Schema<Bases>&... included)
      : fields_(std::move(fields)) {
    (include(included), ...);
    join_groups();
    for (auto& each : fields_) each.description.default_value = each.get(Struct{});
  }
  const std::vector<Field<Struct>>& fields() const { return fields_; }
  bool has(std::string_view key) const {
    return std::ranges::any_of(fields_, [&](const auto& each) { return each.description.key == key; });
  }
  /// Throws Error naming the key when there is none.
  const Field<Struct>& at(std::string_view key) const {
    for (const auto& each : fields_) {
      if (each.description.key == key) return each;
    }
    throw Error("There is no parameter named " + quoted(key) + ".");
  }

 private:
  template <class Base>
  requires std::derived_from<Struct, Base>
  void include(const Schema<Base>& base) {
    for (const auto& each : base.fields()) fields_.push_back({each.description, each.get, each.set});
  }

  void join_groups() {
    std::vector<std::string> groups;
    for (const auto& each : fields_) {
      if (std::ranges::find(groups, each.description.group) == groups.end())
        groups.push_back(each.description.group);
    }
    std::ranges::stable_sort(fields_, {}, [&groups](const Field<Struct>& each) {
      return std::ranges::find(groups, each.description.group) - groups.begin();
    });
  }

  std::vector<Field<Struct>> fields_;
};

/// A parameter struct whose members are reached by key: what panels, flags, undo and session files operate on.
class ParameterSet {
 public:
  virtual ~ParameterSet() = default;
  virtual std::vector<Description> descriptions() const = 0;
  virtual Value get(std::string_view key) const = 0;
  /// Validates first; throws Error and changes nothing when the value is not allowed or the key unknown.
  virtual void set(std::string_view key, const Value& value) = 0;

  /// The same for a value that `validated` has returned for this parameter's description, which sets of structs do not
  /// check again.
  virtual void assign(std::string_view key, const Value& value) { set(key, value); }

  void set_text(std::string_view key, std::string_view text) { assign(key, parse(description(key), text)); }
  /// Throws Error naming the key when there is none. Sets that know where a parameter is describe no other one.
  virtual Description description(std::string_view key) const {
    for (auto& each : descriptions()) {
      if (each.key == key) return each;
    }
    throw Error("There is no parameter named " + quoted(key) + ".");
  }
  /// The present key for a key in a session.
  std::string key_of_session(const std::string& key) const {
    for (const auto& each : descriptions()) {
      if (each.former_key == key && !key.empty()) return each.key;
    }
    return key;
  }
  virtual bool has(std::string_view key) const {
    for (const auto& each : descriptions()) {
      if (each.key == key) return true;
    }
    return false;
  }
};

/// The ParameterSet of one struct, which it refers to and does not own.
template <class Struct>
class StructParameters final : public ParameterSet {
 public:
  StructParameters(const Schema<Struct>& schema, Struct& target) : schema_(schema), target_(target) {}

  std::vector<Description> descriptions() const override {
    std::vector<Description> all;
    for (const auto& each : schema_.fields()) all.push_back(each.description);
    return all;
  }
  Description description(std::string_view key) const override { return schema_.at(key).description; }
  bool has(std::string_view key) const override { return schema_.has(key); }
  Value get(std::string_view key) const override { return schema_.at(key).get(target_); }
  void set(std::string_view key, const Value& value) override {
    const auto& found = schema_.at(key);
    found.set(target_, validated(found.description, value));
  }
  void assign(std::string_view key, const Value& value) override { schema_.at(key).set(target_, value); }

 private:
  const Schema<Struct>& schema_;
  Struct& target_;
};

/// Several sets behind one interface, e.g. a lab's field parameters and its view parameters. Keys must differ.
class CombinedParameters final : public ParameterSet {
 public:
  explicit CombinedParameters(std::vector<ParameterSet*> parts) : parts_(std::move(parts)) {}
  std::vector<Description> descriptions() const override {
    std::vector<Description> all;
    for (const auto* part : parts_) {
      for (auto& each : part->descriptions()) all.push_back(std::move(each));
    }
    return all;
  }
  Description description(std::string_view key) const override { return part_with(key).description(key); }
  bool has(std::string_view key) const override {
    for (const auto* part : parts_) {
      if (part->has(key)) return true;
    }
    return false;
  }
  Value get(std::string_view key) const override { return part_with(key).get(key); }
  void set(std::string_view key, const Value& value) override { part_with(key).set(key, value); }
  void assign(std::string_view key, const Value& value) override { part_with(key).assign(key, value); }

 private:
  ParameterSet& part_with(std::string_view key) const {
    for (auto* part : parts_) {
      if (part->has(key)) return *part;
    }
    throw Error("There is no parameter named " + quoted(key) + ".");
  }
  std::vector<ParameterSet*> parts_;
};

/// Whether the parameter matters with the set's present values.
bool relevant(const Description& description, const ParameterSet& set);

nlohmann::json to_json(const ParameterSet& set);
/// Unknown keys and bad values throw Error; `set` is unchanged then.
void from_json(const nlohmann::json& json, ParameterSet& set);

}  // namespace isolume::parameters
