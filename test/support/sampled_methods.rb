# frozen_string_literal: true

require_relative "sample_windows"

# A report with samples of methods that made others wait, for tests of its profiles.
module SampledMethods
  MS = 1_000_000
  SAMPLE = SampleWindows.new
  SALES = "ReportsController#sales"
  ROWS = "app/models/sales_report.rb:41 SalesReport#rows"
  SETTING = Holdup::Setting.new(attributes: SampleWindows::SETTING.merge("revision" => "4f2c1a9"))
  # Name, place, ms that it caused, samples.
  PLACES = [
    [SALES, "#{ROWS} | Array#sort_by", 71, 7],
    [SALES, "#{ROWS} | (GC)", 9, 1],
    [SALES, "lib/pdf.rb:7 Pdf#draw | (native C)", 20, 2],
    ["thread:cron", "lib/cron.rb:3 Cron#run", 5, 1]
  ].freeze

  def summary(methods = sampled_methods)
    Holdup::Analysis::Summary.new(SAMPLE.to_a, from_s: SAMPLE.from_s, to_s: SAMPLE.to_s,
      holding_methods: methods)
  end

  # @return [Array<Holdup::Window>]
  def sampled_methods
    PLACES.map do |name, queue, ms, count|
      SAMPLE.window(name, kind: :method, queue:, count:, sums: {caused_ns: ms * MS}, setting: SETTING)
    end
  end
end
