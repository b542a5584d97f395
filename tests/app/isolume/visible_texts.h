#pragma once

#include <QAbstractItemView>
#include <QComboBox>
#include <QHeaderView>
#include <QMenu>
#include <QMetaProperty>
#include <QPaintEngine>
#include <QPointer>
#include <QSet>
#include <QTabBar>
#include <QWidget>
#include <functional>

namespace isolume {

/// Paint that keeps what is written, and nothing else.
class WrittenTexts final : public QPaintDevice {
 public:
  explicit WrittenTexts(QSize size) : size_(size) {}
  QPaintEngine* paintEngine() const override { return &engine_; }
  QStringList texts() const { return engine_.texts; }

 protected:
  int metric(PaintDeviceMetric metric) const override {
    switch (metric) {
      case PdmWidth:
        return size_.width();
      case PdmHeight:
        return size_.height();
      case PdmDepth:
        return 32;
      case PdmDpiX:
      case PdmDpiY:
      case PdmPhysicalDpiX:
      case PdmPhysicalDpiY:
        return 96;
      case PdmDevicePixelRatio:
        return 1;
      default:
        return QPaintDevice::metric(metric);
    }
  }

 private:
  struct Engine final : QPaintEngine {
    Engine() : QPaintEngine(AllFeatures) {}
    bool begin(QPaintDevice*) override { return true; }
    bool end() override { return true; }
    void updateState(const QPaintEngineState&) override {}
    Type type() const override { return User; }
    void drawPixmap(const QRectF&, const QPixmap&, const QRectF&) override {}
    void drawImage(const QRectF&, const QImage&, const QRectF&, Qt::ImageConversionFlags) override {}
    void drawTiledPixmap(const QRectF&, const QPixmap&, const QPointF&) override {}
    void drawPath(const QPainterPath&) override {}
    void drawPolygon(const QPointF*, int, PolygonDrawMode) override {}
    void drawPolygon(const QPoint*, int, PolygonDrawMode) override {}
    void drawEllipse(const QRectF&) override {}
    void drawTextItem(const QPointF&, const QTextItem& item) override { texts << item.text(); }
    QStringList texts;
  };
  QSize size_;
  mutable Engine engine_;
};

/// Gathers what a person can read in windows, each text with where it stands.
class VisibleTexts {
 public:
  using Take = std::function<void(const QString& where, const QString& text)>;
  /// `skip`: whether an object's content is no text of the program's.
  VisibleTexts(Take take, std::function<bool(const QObject&)> skip)
      : take_(std::move(take)), skip_(std::move(skip)) {}

  /// With all that is in it, shown or not.
  void read(const QWidget& window) const {
    read_object(window);
    // Drawing a hidden panel lays it out, which may replace what is in it.
    const QList<QPointer<QObject>> children(window.children().begin(), window.children().end());
    for (const auto& each : children) {
      if (const auto* widget = qobject_cast<const QWidget*>(each.data())) {
        read(*widget);
      } else if (each) {
        read_object(*each);
      }
    }
  }

 private:
  static QString name_of(const QObject& object) {
    return QString(object.metaObject()->className()) + " " + object.objectName();
  }
  bool skipped(const QObject& object) const {
    for (const QObject* each = &object; each != nullptr; each = each->parent()) {
      if (skip_(*each)) return true;
    }
    return false;
  }
  void read_object(const QObject& object) const {
    if (skipped(object)) return;
    static const QSet<QByteArray> no_texts{"objectName", "styleSheet",     "windowFilePath", "inputMask",
                                           "windowRole", "currentText",    "displayText",    "html",
                                           "markdown",   "windowIconText", "cleanText",      "selectedText"};
    const QMetaObject& meta = *object.metaObject();
    for (int i = 0; i < meta.propertyCount(); ++i) {
      const QMetaProperty property = meta.property(i);
      if (property.metaType() != QMetaType::fromType<QString>() || no_texts.contains(property.name()))
        continue;
      take_(name_of(object) + "." + property.name(), property.read(&object).toString());
    }
    if (const auto* box = qobject_cast<const QComboBox*>(&object)) {
      for (int i = 0; i < box->count(); ++i) take_(name_of(object) + " item", box->itemText(i));
    }
    if (const auto* bar = qobject_cast<const QTabBar*>(&object)) {
      for (int i = 0; i < bar->count(); ++i) take_(name_of(object) + " tab", bar->tabText(i));
    }
    if (const auto* view = qobject_cast<const QAbstractItemView*>(&object)) read_model(*view);
    const auto* widget = qobject_cast<const QWidget*>(&object);
    if (widget == nullptr || widget->size().isEmpty() || !QByteArray(meta.className()).startsWith("isolume"))
      return;
    WrittenTexts written(widget->size());
    const_cast<QWidget*>(widget)->render(&written, {}, {}, QWidget::DrawWindowBackground);
    for (const QString& text : written.texts()) take_(name_of(object) + " drawn", text);
  }
  void read_model(const QAbstractItemView& view) const {
    const auto* model = view.model();
    if (model == nullptr || qobject_cast<const QHeaderView*>(&view) != nullptr) return;
    for (int column = 0; column < model->columnCount(); ++column) {
      for (const int role : {Qt::DisplayRole, Qt::ToolTipRole})
        take_(name_of(view) + " header", model->headerData(column, Qt::Horizontal, role).toString());
    }
    read_rows(view, {});
  }
  void read_rows(const QAbstractItemView& view, const QModelIndex& parent) const {
    const auto* model = view.model();
    for (int row = 0; row < std::min(model->rowCount(parent), 100); ++row) {
      for (int column = 0; column < model->columnCount(parent); ++column) {
        const QModelIndex index = model->index(row, column, parent);
        for (const int role : {Qt::DisplayRole, Qt::ToolTipRole, Qt::AccessibleTextRole})
          take_(name_of(view) + " cell", index.data(role).toString());
        if (column == 0) read_rows(view, index);
      }
    }
  }

  Take take_;
  std::function<bool(const QObject&)> skip_;
};

}  // namespace isolume
