# frozen_string_literal: true

module Holdup
  class SettingFacts
    # How much CPU this process may use: the CPUs it may run on, and the quota of its container. Read from Linux's own
    # files, because the gems that know it are none of ours to load into an application.
    class Machine
      # @param proc [String] where /proc is
      # @param cgroup [String] where the cgroup v2 tree is
      def initialize(proc: "/proc", cgroup: "/sys/fs/cgroup")
        @proc = proc
        @cgroup = cgroup
      end

      # @return [Hash{String => Numeric, nil}] cpus allowed; vcpus: what the quota leaves of them
      def to_h
        @to_h ||= {"cpus" => cpus, "vcpus" => [quota, cpus].compact.min}.freeze
      end

      private

      def cpus
        read("#{@proc}/self/status")&.slice(/^Cpus_allowed_list:\s*(\S+)/, 1)&.then { |list| count(list) }
      end

      # "0-3,8" is five CPUs.
      def count(list)
        list.split(",").sum do |range|
          first, last = range.split("-").map(&:to_i)
          last ? last - first + 1 : 1
        end
      end

      def quota
        max, period = (own_limit || read("#{@cgroup}/cpu.max"))&.split
        max.to_f / period.to_f if period && max != "max"
      end

      def own_limit
        path = read("#{@proc}/self/cgroup")&.slice(/^0::(\S+)/, 1)
        read("#{@cgroup}#{path}/cpu.max") if path
      end

      def read(path)
        File.read(path) if File.readable?(path)
      end
    end
  end
end
