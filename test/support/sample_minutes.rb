# frozen_string_literal: true

require "holdup/model/series"
require "holdup/model/setting"
require "holdup/model/window"

# Minutes to put in a store.
module SampleMinutes
  MINUTE_START = 20_000 * 86_400
  MINUTE_SETTING = Holdup::Setting.new(attributes: {"ruby" => "3.4.5"})

  # @return [Holdup::Window] one minute with these durations
  def minute(offset = 0, name: "OrdersController#index", values: [5_000_000])
    histograms = Holdup::Window::HISTOGRAMS.to_h { |one| [one, Holdup::Histogram.of(values)] }
    series = Holdup::Series.new(kind: :request, name:)
    start_s = MINUTE_START + offset * 60
    empty = Holdup::Window.empty(series:, setting: MINUTE_SETTING, host: "a", start_s:, seconds: 60)
    empty.with(count: values.size, histograms:)
  end

  # @return [Holdup::Store::Sql::WindowRows] the empty windows of a store in memory
  def window_rows
    connection = Holdup::Store::Sql::Connection.new(Holdup::Store::Sql::Sqlite::MemoryDatabase.new)
    codec = Holdup::Store::Sql::WindowCodec.new(connection)
    skipped = Holdup::Store::Sql::SmallTables::SkippedRows.new(connection)
    Holdup::Store::Sql::WindowRows.new(connection, codec, skipped)
  end

  # @return [Array<Holdup::Window>] of all windows of that length
  def all_windows(rows, seconds)
    range = Holdup::Store::Tier::ReadPlan::TierRange.new(seconds:, from_s: 0, to_s: MINUTE_START * 2)
    rows.to_enum(:each, range).to_a
  end

  # @return [Integer] units in the store
  def units(store)
    store.windows(0, MINUTE_START * 2).sum(&:count)
  end
end
