# frozen_string_literal: true

require "optparse"
require_relative "collector_script"
require_relative "../autopilot"
require_relative "../boot"
require_relative "../calls"
require_relative "../capsules"
require_relative "../capture"
require_relative "../compare"
require_relative "../coverage"
require_relative "../coverage_users"
require_relative "../experiment"
require_relative "../fibers"
require_relative "../fleet"
require_relative "../holders"
require_relative "../holds"
require_relative "../instructions"
require_relative "../jit"
require_relative "../jit_probe"
require_relative "../memory"
require_relative "../memory_kills"
require_relative "../predict"
require_relative "../predict_active_job"
require_relative "../predict_backlog"
require_relative "../predict_database"
require_relative "../predict_database_jobs"
require_relative "../predict_growth"
require_relative "../predict_jobs"
require_relative "../predict_open"
require_relative "../predict_uneven"
require_relative "../rails"
require_relative "../release"
require_relative "../replay"
require_relative "../scaling"
require_relative "../shutdown"
require_relative "../sidekiq"
require_relative "../start"
require_relative "../unit"
require_relative "../upgrade"
require_relative "../viewer"
require_relative "../web"
require_relative "../whom"
require_relative "../whom_locks"
require_relative "../whom_transactions"
require_relative "../whom_week"
require_relative "document"
require_relative "machine"

module Bench
  # The command line of bin/bench.
  class Command
    BENCHES = {
      "release" => Release,
      "unit" => Unit,
      "holders" => Holders,
      "calls" => Calls,
      "boot" => Boot,
      "holds" => Holds,
      "jit-probe" => JitProbe,
      "fibers" => Fibers,
      "instructions" => Instructions,
      "rails" => Rails,
      "sidekiq" => Sidekiq,
      "shutdown" => Shutdown,
      "compare" => Compare,
      "capture" => Capture,
      "start" => Start,
      "web" => Web,
      "viewer" => Viewer,
      "replay" => Replay,
      "scaling" => Scaling,
      "collector" => CollectorScript
    }.freeze
    # Experiments on whole servers: ten minutes and more each, so only when they are named.
    EXPERIMENTS = {
      "call-truth" => CallTruth,
      "hold-truth" => HoldTruth,
      "whom" => Whom,
      "whom-locks" => WhomLocks,
      "whom-transactions" => WhomTransactions,
      "whom-week" => WhomWeek,
      "autopilot" => Autopilot,
      "experiment" => Experiment,
      "jit" => Jit,
      "upgrade" => Upgrade,
      "memory" => Memory,
      "memory-kills" => MemoryKills,
      "predict" => Predict,
      "predict-backlog" => PredictBacklog,
      "predict-uneven" => PredictUneven,
      "predict-jobs" => PredictJobs,
      "predict-active-job" => PredictActiveJob,
      "predict-growth" => PredictGrowth,
      "predict-open" => PredictOpen,
      "predict-database" => PredictDatabase,
      "predict-database-jobs" => PredictDatabaseJobs,
      "capsules" => Capsules,
      "fleet" => Fleet,
      "coverage" => Coverage,
      "coverage-users" => CoverageUsers
    }.freeze
    NAMES = [*BENCHES.keys, *EXPERIMENTS.keys].freeze

    # @param argv [Array<String>]
    # @return [Command]; exits with 2 for an argument it doesn't know
    def self.parse(argv)
      options = {quick: false, write: false}
      names = parser(options).parse(argv)
      unknown = names - NAMES
      raise OptionParser::InvalidArgument, "#{unknown.first}; there are #{NAMES.join(", ")}" if unknown.any?
      new(names.empty? ? BENCHES.keys : names, **options)
    rescue OptionParser::ParseError => error
      warn "bench: #{error.message}; bin/bench --help lists what it takes"
      exit 2
    end

    def self.parser(options)
      OptionParser.new("Usage: bin/bench [#{NAMES.join("|")}]... [options]") do |parser|
        parser.on("--quick", "three minutes in all, only to see that they run") { options[:quick] = true }
        parser.on("--write", "put the tables into #{Document::FOLDER}") { options[:write] = true }
      end
    end
    private_class_method :parser

    # @param names [Array<String>] of benches
    # @param out [IO] for the tables
    def initialize(names, quick:, write:, out: $stdout)
      @names = names
      @quick = quick
      @write = write
      @out = out
    end

    # @return [Integer] exit status; a missed budget is no failure
    # @raise [Failure]
    def run
      @names.each { |name| measure(name) }
      0
    end

    private

    # Some benches hand over what they have from time to time, so that a run that fails loses little.
    def measure(name)
      warn "bench: #{name}"
      began_s = now
      machine = MachineDescription.to_s
      result = bench(name).call { |partial| write(name, section(partial, machine)) }
      text = section(result, machine)
      show(name, text)
      warn format("bench: %s took %.1f minutes", name, (now - began_s) / 60)
    end

    def section(result, machine)
      "#{result.to_markdown}\nMeasured #{Time.now.utc.strftime("%F")}#{" with --quick" if @quick}: " \
      "#{machine}.\n"
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    def show(name, text)
      @out.puts(text, "")
      @out.flush
      write(name, text)
    end

    def write(name, text)
      Document.of(name).replace(name, text) if @write
    end

    def bench(name)
      BENCHES.merge(EXPERIMENTS).fetch(name).new(quick: @quick)
    end
  end
end
