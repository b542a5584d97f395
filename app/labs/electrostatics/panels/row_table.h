#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <QWidget>
#include <functional>
#include <vector>

class QLabel;
class QSortFilterProxyModel;
class QTableView;

namespace isolume::labs::electrostatics {

/// What a table has to show, asked for cell by cell: there may be millions of rows.
struct TableRows {
  struct Column {
    QString title, tip;
    int decimals = -1;  ///< of numbers; less than 0: words
    QString widest;     ///< of numbers: what may be in it
  };
  std::vector<Column> columns;
  int count = 0;
  std::function<QString(int row, int column)> words;  ///< of columns of words
  std::function<double(int row, int column)> number;  ///< of columns of numbers; NaN: there is none
  std::function<double(int row, int column)> order =
      {};  ///< that a column of words is sorted by; null: by the words
};

class RowModel final : public QAbstractTableModel {
  Q_OBJECT
 public:
  using QAbstractTableModel::QAbstractTableModel;
  void set_rows(TableRows rows);
  const TableRows& rows() const { return rows_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  TableRows rows_;
};

/// Rows that can be sorted by each column, chosen one at a time and copied (Ctrl+C: with tabs between cells), under a line of
/// text. Before it is sorted, they are in their own order.
class RowTable final : public QWidget {
  Q_OBJECT
 public:
  /// `name`: the widget's, for scripts and tests.
  RowTable(const QString& name, const QString& title, QWidget* parent = nullptr);
  /// `note` stands above; empty: nothing does. No row is chosen then.
  void set_rows(TableRows rows, const QString& note);
  /// Without row_chosen; less than 0: none.
  void set_chosen(int row);
  int chosen() const;
  QTableView* view() const { return view_; }
  /// Room for numbers and a few words.
  QSize sizeHint() const override;

 Q_SIGNALS:
  /// The person stepped or clicked to another row; by its place in the rows.
  void row_chosen(int row);

 private:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void copy() const;
  void resizeEvent(QResizeEvent* event) override;
  void fit_columns();
  void fit_rows();

  RowModel* model_;
  QSortFilterProxyModel* sorted_;
  QLabel* note_;
  QTableView* view_;
  bool following_ = false;  ///< the selection is being set from elsewhere
};

}  // namespace isolume::labs::electrostatics
