# frozen_string_literal: true

require "fileutils"

module Stories
  # What a container is to the kernel: a control group with a quota of CPU time, here for the processes of one
  # recording. So the recording sees one or two vCPUs whatever else the machine does, and gets them before
  # other programs do. Making a group takes root.
  class Container
    ROOT = "/sys/fs/cgroup"
    NAME = "holdup-story"
    PERIOD_US = 100_000
    PATIENCE_S = 10
    # Eight times as much as other programs have, so that these hardly disturb the recording.
    WEIGHTS = {"cpu.weight" => 800, "cpu.shares" => 8_192}.freeze
    # Version 2 has one tree, version 1 one for each controller.
    TREES = File.exist?("#{ROOT}/cgroup.controllers") ? [ROOT] : ["#{ROOT}/cpu", "#{ROOT}/cpuacct"]

    # @yieldparam container [Container] gone after the block
    # @return [Object] the block's value
    def self.open
      container = new
      yield container
    ensure
      container&.remove
    end

    def initialize
      @folders = TREES.map { |tree| "#{tree}/#{NAME}-#{Process.pid}" }
      @folders.each { |folder| Dir.mkdir(folder) }
      WEIGHTS.each { |file, weight| write(file, weight) }
    end

    # @param count [Numeric] of CPUs that its processes get together
    # @return [void]
    def vcpus=(count)
      quota_us = (count * PERIOD_US).round
      write("cpu.max", "#{quota_us} #{PERIOD_US}")
      write("cpu.cfs_quota_us", quota_us)
    end

    # @param command [Array<String>]
    # @return [Array<String>] the same command, run in the group
    def inside(*command)
      entries = @folders.map { |folder| "echo $$ > #{folder}/cgroup.procs" }
      ["sh", "-c", "#{entries.join(" && ")} && exec \"$@\"", "sh", *command]
    end

    # A group can't be removed while the kernel still ends its last process.
    # @return [void]
    def remove
      deadline = Time.now + PATIENCE_S
      IO.select(nil, nil, nil, 0.05) while @folders.any? { |folder| used?(folder) } && Time.now < deadline
      @folders.each { |folder| Dir.rmdir(folder) }
    end

    private

    def used?(folder) = !File.read("#{folder}/cgroup.procs").empty?

    # Each version knows some of the files.
    def write(file, value)
      @folders.map { |folder| "#{folder}/#{file}" }.select { |path| File.exist?(path) }
        .each { |path| File.write(path, value.to_s) }
    end
  end

  # In place of a Container, for a recording that needs no quota: everybody can make it, and other programs
  # get as much CPU time as it does.
  module Uncontained
    # @yieldparam container [Uncontained]
    # @return [Object] the block's value
    def self.open = yield(self)

    # @param command [Array<String>]
    # @return [Array<String>] the same
    def self.inside(*command) = command
  end
end
