# frozen_string_literal: true

module Holdup
  module Probe
    # The probe's methods where it can't work: off, and honest about it. No number is made up.
    module Fallback
      # Of the C extension, which exports them under the same names; a test holds them equal.
      KINDS = {request: 1, job: 2}.freeze
      CHARGES = {pool_wait: 0, pool_held: 1}.freeze
      COUNTERS = {queued_clamped: 9, guard_failures: 13}.freeze
      HOLDER_LEAST_NS = 1_000_000

      def enable = false

      def disable = false

      def enabled? = false

      def forked? = false

      def after_fork = false

      # 0 is the handle of "no unit": every other method takes it and does nothing.
      def enter(_pool = nil) = 0

      def follow_fibers(_on) = false

      def record(_handle, _kind, _name, _queue, _queued_ns, _error, _pool = nil, _priority = nil,
        _trace = nil, _path = nil)
        nil
      end

      def finish(_handle) = nil

      def cancel(_handle) = nil

      def label(_thread, _name) = nil

      def count(_counter) = nil

      def tick(_gauges) = false

      def snapshot = {}

      def accounts = {}

      def open_segment(_path, _series_limit, _ring_capacity, _worker_index, _generation)
        nil
      end

      def open_anonymous_segment(_path, _series_limit, _ring_capacity, _worker_index, _generation)
        nil
      end

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

      def stalled(_handle) = nil

      def watch_holders(_on) = nil

      def holders(_handle) = nil

      def charge(_handle, _which, _ns) = nil

      def pools=(names)
      end

      def profile=(json)
      end

      def setting=(json)
      end
    end
  end
end
