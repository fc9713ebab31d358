# frozen_string_literal: true

require_relative "cgroup"

module Holdup
  class SettingFacts
    # How much CPU this process may use: the CPUs it may run on, and the quota of its container. Read from
    # Linux's own files, because the gems that know it are none of ours to load into an application.
    class CpuQuota
      # @param proc [String] where /proc is
      # @param cgroup [String] where the trees of control groups are, version 1 or 2
      # @param pid [Integer, String] the process that it is about
      def initialize(proc: "/proc", cgroup: "/sys/fs/cgroup", pid: "self")
        @status = "#{proc}/#{pid}/status"
        @cgroup = Cgroup.new(proc:, root: cgroup, pid:)
      end

      # @return [Hash{String => Numeric, nil}] cpus allowed; vcpus: what the quota leaves of them
      def to_h
        @to_h ||= {"cpus" => cpus, "vcpus" => [@cgroup.quota, cpus].compact.min}.freeze
      end

      private

      def cpus
        @cgroup.read(@status)&.slice(/^Cpus_allowed_list:\s*(\S+)/, 1)&.then { |list| count(list) }
      end

      # "0-3,8" is five CPUs.
      def count(list)
        list.split(",").sum do |range|
          first, last = range.split("-").map(&:to_i)
          last ? last - first + 1 : 1
        end
      end
    end
  end
end
