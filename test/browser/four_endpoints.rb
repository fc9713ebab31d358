# frozen_string_literal: true

require "holdup/loader"
require "tmpdir"

# Half an hour of an application with four endpoints in two processes, as a store: threads wait for the GVL,
# more of them in its second half, perhaps after a deploy.
class FourEndpoints
  MINUTES = 30
  UNITS = SampleWindows::STOREFRONT.first(4).to_h.freeze
  ACCOUNTS = {"main" => 0.01, "thread:puma srv" => 0.2}.freeze

  # @param revisions [Array<String>] of the first and the second half; none: it is not known
  def initialize(revisions: [])
    @revisions = revisions
  end

  # @yieldparam store [String] a SQLite file
  def in_a_file
    Dir.mktmpdir("holdup") do |folder|
      path = File.join(folder, "store.sqlite3")
      store = Holdup::Store.open(path)
      MINUTES.times { |minute| store.commit(windows(minute), {}) }
      store.close
      yield path
    end
  end

  def to_s = SampleWindows::START_S + MINUTES * 60

  def deployed_s = SampleWindows::START_S + MINUTES / 2 * 60

  private

  def windows(minute)
    sample = sample(minute)
    [*sample.stored, *processes(sample)].map { |one| one.with(start_s: one.start_s + minute * 60) }
  end

  def sample(minute)
    half = minute / (MINUTES / 2)
    share = [4, 12][half]
    units = UNITS.transform_values { |shape| shape.merge(units: shape[:units] * share / 10) }
    setting = SampleWindows::SETTING.merge({"revision" => @revisions[half]}.compact)
    SampleWindows.new(units:, minutes: 1, seed: minute, accounts: ACCOUNTS, setting:)
  end

  # The first of them ran all.
  def processes(sample)
    units = sample.to_a.select { |window| window.series.unit? }
    sums = units.map(&:sums).reduce { |one, other| one.merge(other) { |_, left, right| left + right } }
    names = units.first.histograms.keys
    histograms = names.to_h { |name| [name, Holdup::Histogram.sum(units.map { |one| one.histograms[name] })] }
    [sample.window("worker 0", kind: :process, queue: nil, count: units.sum(&:count), sums:, histograms:),
      sample.window("worker 1", kind: :process, queue: nil)]
  end
end
