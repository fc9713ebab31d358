# frozen_string_literal: true

module Holdup
  module Ps
    # The doctor's check: whether a process hangs, as far as its open requests and jobs say so.
    module HungCheck
      # @param host [Doctor::Checks::Host]
      def self.call(host)
        processes = host.alive.reject(&:closed)
        signs = processes.flat_map { |process| HungSigns.of(open_process(process), process.read_ns) }
        signs.map { |sign| Doctor::Checks::CheckResult.warn(sign.key, **sign.facts) }
      end

      # @param process [Doctor::Checks::Host::HostProcess]
      def self.open_process(process)
        name = process.worker ? "worker #{process.worker}" : "pid #{process.pid}"
        OpenProcess.new(pid: process.pid, name:, units: process.open_units, gvl: process.gvl,
          pools: OpenProcess.pool_sizes(process.pools, process.profile))
      end
      private_class_method :open_process
    end
  end
end
