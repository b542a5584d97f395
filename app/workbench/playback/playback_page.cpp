#include "app/workbench/playback/playback_page.h"

#include <QVBoxLayout>
#include <vector>

#include "app/scene/view/view_widget.h"
#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/lab.h"
#include "app/workbench/playback/playback_bar.h"

namespace isolume::workbench {

PlaybackPage make_playback_page(LabContext& context, Playback& playback, const std::string& prefix,
                                QWidget* views) {
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(views != nullptr ? views : &context.view, 1);
  auto* bar = new PlaybackBar(playback);
  QObject::connect(bar, &PlaybackBar::asked, page,
                   [&context, prefix](const QString& verb, const QStringList& arguments) {
                     std::vector<std::string> words;
                     for (const auto& each : arguments) words.push_back(each.toStdString());
                     try {
                       context.commands.run(prefix + "." + verb.toStdString(), words);
                     } catch (const Error& error) {
                       context.show_status(QString::fromUtf8(error.what()));
                     }
                   });
  column->addWidget(bar);
  return {page, bar};
}

}  // namespace isolume::workbench
