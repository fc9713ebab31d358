# frozen_string_literal: true

require "rbconfig"
require_relative "../model/errors"
require_relative "../model/ruby_version"

module Holdup
  # The measuring half in C, or, where Ruby has no GVL events (JRuby, TruffleRuby, Windows) or the extension
  # is missing, a fallback with the same methods that measures nothing. Loading it starts nothing.
  #
  # A development build has Ruby's ABI in its name, so that several Rubies can share a checkout. A precompiled
  # gem has an extension for each Ruby, named by its version.
  module Probe
    ABI = "#{RbConfig::CONFIG["ruby_version"]}-#{RbConfig::CONFIG["arch"]}"
    CANDIDATES = [File.expand_path("../native/#{ABI}/holdup", __dir__),
      File.expand_path("../native/#{RubyVersion.here.minor}/holdup", __dir__),
      File.expand_path("../holdup", __dir__), "holdup/holdup"].freeze

    def self.supported? = respond_to?(:clock_source)

    # One sentence on why nothing is measured here.
    def self.unsupported_reason
      return if supported?
      unless RubyVersion.events?
        return "Holdup measures nothing on #{RUBY_ENGINE} for #{RUBY_PLATFORM}: it needs CRuby's GVL events"
      end
      "Holdup measures nothing: its C extension is not built for Ruby #{ABI}; " \
        "reinstall the gem (gem pristine holdup-agent)"
    end

    # @return [String, nil] the loaded path
    def self.load_extension(paths = CANDIDATES)
      paths.find { |path| load_one(path) }
    end

    def self.load_one(path)
      require path
      true
    rescue LoadError
      false
    end
    private_class_method :load_one
  end

  module Probe
    module Fallback
      # As the C extension exports them; a test compares both.
      KINDS = {request: 1, job: 2}.freeze
      CHARGES = {pool_wait: 0, pool_held: 1}.freeze
      COUNTERS = {queued_clamped: 9, guard_failures: 13}.freeze

      # Open units, of which there are none here.
      class UnitFields
      end

      # Of which nothing is known here.
      class FiguresFields
      end

      # No unit waits for a connection, nor holds one.
      class ConnectionHolds
        def take(_handle, _now_ns = nil) = nil

        def take_unseen = nil

        def give_back(_place, _now_ns = nil) = nil

        def wait_begins = nil

        def wait_ends(_handle, _from_ns, _to_ns) = nil
      end

      # See UnitFields.
      module RequestEnds
      end

      # See UnitFields.
      module JobEnds
      end

      # See UnitFields.
      class RecorderFields
        attr_reader :probe, :on_finish
        attr_accessor :watcher

        def initialize(probe)
          @probe = probe
        end

        def call_on_finish(callback, _share)
          @on_finish = callback
        end
      end

      # No job is measured.
      class JobStarts
        def self.ready_ns(_enqueued_at) = nil

        def initialize(_jobs, _harmless, _pools)
        end

        private

        def begin_job(_job, _queue) = nil

        def facts(_job) = []
      end

      # No request is measured, so none has a name.
      class RequestNames
        def initialize(_actions)
        end

        private

        def note_asked = nil
      end

      # See RequestNames.
      class RequestStarts
        def initialize(recorder:, names:, queue_header:, ignored_starts:, example_paths:)
        end

        def start(_env) = nil
      end

      def enable = false

      def disable = false

      def enabled? = false

      def forked? = false

      def after_fork = false

      # 0 is the handle of "no unit": every other method ignores it.
      def enter(_pool = nil) = 0

      def follow_fibers(_on) = false

      def record(_handle, _kind, _name, _queue, _queued_ns, _error, _pool = nil, _priority = nil,
        _trace = nil, _path = nil, _id = nil)
        nil
      end

      def finish(_handle) = nil

      def cancel(_handle) = nil

      def call_kind(_name) = 0

      def begin_call(_kind = nil) = nil

      def end_call(_kind, _error) = nil

      def begin_transaction(_kind) = nil

      def end_transaction(_kind, _error) = nil

      def query_events(_kind_of) = nil

      def repeated_queries=(least)
      end

      def application_folders(_root, _foreign, _ours) = nil

      def sample_holds(_over_ns) = false

      def show_paths(on) = on

      def hold_samples = {}

      def lock_samples = {}

      def label(_thread, _name) = nil

      def count(_counter) = nil

      def tick(_gauges) = false

      def snapshot = {}

      def accounts = {}

      def sizes = {}

      def open_segment(_path, _series_limit, _ring_capacity, _worker_index, _generation, _pair_limit = nil)
        nil
      end

      def open_anonymous_segment(_path, _series_limit, _ring_capacity, _worker_index, _generation,
        _pair_limit = nil)
        nil
      end

      def segment_room = nil

      def name_segment_again(_anonymous) = false

      def close_segment = nil

      def open_capture(_path, _events, _stalled_over_ns, _wall_over_ns, _stacks_over_ns = 0)
        false
      end

      def name_captured(_thread, _name) = nil

      def close_capture = nil

      def sample_elsewhere(_on) = nil

      def take_sample(_thread, _monotonic_ns, _stack)
        false
      end

      def charge_capture(_ns) = nil

      def capturing? = false

      def caught? = false

      def capture_complete? = false

      def limit_capture(_series, _stalled_ns, _wall_ns)
        nil
      end

      def read_segment(_offset, _length) = nil

      def identify(_worker_index, _generation) = nil

      def interruption?(_error) = false

      def own?(_handle) = false

      def stalled(_handle) = nil

      def idle(_handle) = nil

      def holders(_handle) = nil

      def lock_ends(_handle) = nil

      def figures(_handle) = nil

      def waits_so_far(_handle) = nil

      def calls_so_far(_handle) = nil

      def charge(_handle, _which, _ns) = nil

      def pools=(names)
      end

      def watch_objects(_on) = false

      def watched_units = []

      def retained_objects(_last_number) = {}

      def forget_objects(_last_number)
      end

      def profile=(json)
      end

      def setting=(json)
      end
    end
  end

  unless RubyVersion.events? && Probe.load_extension
    Probe.extend(Probe::Fallback)
    Probe.include(Probe::Fallback) # for its constants
  end
end
