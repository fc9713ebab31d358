# frozen_string_literal: true

require "fileutils"
require "net/http"
require "rbconfig"
require_relative "../../../test/support/free_ports"
require_relative "story_recorder"
require_relative "worker_watchdog"

module Stories
  # Records docs/stories/killed-at-night.md: a shop in a Puma with two workers, a watchdog that kills each
  # worker above a limit of memory, and an export of invoices that exceeds it; then the same with the fix.
  class KilledAtNight
    SHOP = File.join(__dir__, "night")
    EXPORT = "app/models/invoice_export.rb"
    # The story shows both.
    DEFECT = <<-RUBY
    rows = []
    BATCHES.times { |batch| rows.concat(invoices(batch)) }
    rows.size
    RUBY
    FIX = <<-RUBY
    BATCHES.times.sum { |batch| invoices(batch).size }
    RUBY
    # How the exports of a phase have to end: killed or not.
    NightPhase = Data.define(:about, :revision, :fixed)
    PHASES = [
      NightPhase.new(about: "before the fix", revision: "c41d9e2", fixed: false),
      NightPhase.new(about: "after the fix", revision: "9b7f03a", fixed: true)
    ].freeze
    MINUTES = 3
    # In each phase, one after the other.
    EXPORTS = 2
    # Before each of them.
    PAUSE_S = 15
    PUMA = %w[bundle exec puma -C puma.rb config.ru].freeze
    READY = ["Worker 0 (PID", "Worker 1 (PID"].freeze
    # Of what a whole export keeps, so much fits into a worker: the watchdog ends it in its last quarter.
    ROOM = 0.75
    ROUNDED_TO_MB = 10
    # Prints by how many MB a whole export makes a process grow.
    TRIAL = <<~RUBY
      require "./#{EXPORT}"
      resident_mb = -> { File.read("/proc/self/status")[/^VmRSS:\\s+(\\d+)/, 1].to_i / 1024 }
      before_mb = resident_mb.call
      InvoiceExport.new(database_s: 0).call
      puts resident_mb.call - before_mb
    RUBY
    ORDERS = 1..5000
    CUSTOMERS_A_SECOND = 1.0
    NO_ANSWER = [SystemCallError, EOFError, Net::OpenTimeout, Net::ReadTimeout].freeze

    # @param target [String] a file in test/fixtures
    # @return [void]
    def self.record(target)
      env = {"RUBYOPT" => nil}
      StoryRecorder.make(target, app: "Shop", host: "web-1", env:, container: Uncontained) do |recorder|
        new(recorder).call
        recorder.thin(kinds: %w[pair method], tables: %w[recent_figures])
      end
    end

    # @param worker_mb [Integer] that a worker takes before its first export
    # @param export_mb [Integer] by which a whole export makes it grow
    # @return [Integer] MB that the watchdog allows
    def self.limit_mb(worker_mb:, export_mb:)
      ((worker_mb + export_mb * ROOM) / ROUNDED_TO_MB).round * ROUNDED_TO_MB
    end

    # @param source [String] of the export
    # @return [String] the same with the fix
    def self.fixed(source)
      raise "#{EXPORT} has another defect" unless source.include?(DEFECT)
      source.sub(DEFECT, FIX)
    end

    def initialize(recorder)
      @recorder = recorder
      @shop = File.join(recorder.folder, "shop")
      @random = Random.new(1)
    end

    # @return [void]
    def call
      PHASES.each { |phase| phase(phase) }
    end

    private

    def phase(phase)
      deploy(phase)
      watchdog = WorkerWatchdog.new(limit_mb:) { @recorder.said(:puma) }
      @recorder.minutes(MINUTES) do |seconds|
        @recorder.say("#{phase.about}: workers may take #{limit_mb} MB")
        @end_s = now_s + seconds
        answered = watchdog.watch { visits }
        @recorder.say("#{answered} of #{EXPORTS} exports ended, #{watchdog.killed.size} workers were killed")
        check(phase, answered, watchdog.killed.size)
      end
    end

    def deploy(phase)
      @recorder.stop(:puma) if @port
      FileUtils.rm_rf(@shop)
      FileUtils.cp_r(SHOP, @shop)
      export = File.join(@shop, EXPORT)
      File.write(export, self.class.fixed(File.read(export))) if phase.fixed
      @port = FreePorts.take
      env = {"PORT" => @port.to_s, "HOLDUP_REVISION" => phase.revision}
      @recorder.start(:puma, *PUMA, chdir: @shop, env:)
      READY.each { |words| @recorder.await(:puma, words) }
    end

    # @return [Integer] exports that ended
    def visits
      others = Thread.new { customers }
      answered = EXPORTS.times.count do
        @recorder.pause(PAUSE_S)
        ask("/exports/invoices")
      end
      others.join
      answered
    end

    # One after the other, at irregular times.
    def customers
      while now_s < @end_s
        ask("/orders/#{@random.rand(ORDERS)}")
        @recorder.pause(-Math.log(1 - @random.rand) / CUSTOMERS_A_SECOND)
      end
    end

    # @return [Boolean] whether it is answered before the phase ends
    def ask(path)
      read_timeout = [@end_s - now_s, 1].max
      http = Net::HTTP.new("127.0.0.1", @port)
      http.max_retries = 0
      http.read_timeout = read_timeout
      http.start { http.get(path) }.is_a?(Net::HTTPOK)
    rescue *NO_ANSWER
      false
    end

    def check(phase, answered, killed)
      expected = phase.fixed ? [EXPORTS, 0] : [0, EXPORTS]
      return if [answered, killed] == expected
      raise "#{phase.about}, #{answered} exports ended and #{killed} workers were killed, not " \
        "#{expected.join(" and ")}:\n#{@recorder.said(:puma)}"
    end

    # What the workers take is known when the first ones have answered.
    def limit_mb
      @limit_mb ||= begin
        @end_s = now_s + StoryRecorder::MINUTE_S
        (READY.size * 10).times { |number| ask("/orders/#{number}") }
        watchdog = WorkerWatchdog.new(limit_mb: 0) { @recorder.said(:puma) }
        self.class.limit_mb(worker_mb: watchdog.workers.values.max, export_mb:)
      end
    end

    # Of a process of its own.
    def export_mb
      grown = IO.popen([RbConfig.ruby, "-e", TRIAL], chdir: @shop, &:read)
      Integer(grown)
    end

    def now_s = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
