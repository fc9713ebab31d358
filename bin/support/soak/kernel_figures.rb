# frozen_string_literal: true

require "etc"

module Soak
  # What the kernel says of a process. nil where it has ended.
  module KernelFigures
    PAGE = Etc.sysconf(Etc::SC_PAGESIZE)
    COLLECTOR = /\bcollect\b/
    # Between an application and its collector, see ext/holdup/process/process_watcher.c.
    WATCHER = "holdup-watcher"

    module_function

    # @return [Integer, nil] bytes of memory; what processes share is counted in each of them
    def rss(pid)
      read(pid, "statm")&.then { |text| text.split[1].to_i * PAGE }
    end

    # @return [Integer, nil] bytes of memory; of what processes share, each has its part
    def pss(pid)
      read(pid, "smaps_rollup")&.then { |text| text[/^Pss:\s+(\d+)/, 1].to_i * 1024 }
    end

    # @param folder [String]
    # @param part [String] "Rss" or "Pss"
    # @return [Integer] bytes of its memory that are files of that folder
    def mapped(pid, folder, part)
      inside = false
      read(pid, "smaps").to_s.each_line.sum do |line|
        inside = line.include?(" #{folder}/") if line.match?(/\A\h+-\h+ /)
        (inside && line.start_with?("#{part}:")) ? line[/\d+/].to_i * 1024 : 0
      end
    end

    # @return [Integer, nil] open file descriptors
    def descriptors(pid) = entries(pid, "fd")

    # @return [Integer, nil]
    def threads(pid) = entries(pid, "task")

    # @return [Array<Integer>] pids that it has started, of any of its threads
    def children(pid)
      Dir["/proc/#{pid}/task/*/children"].flat_map do |path|
        File.read(path).split.map(&:to_i)
      rescue SystemCallError
        []
      end
    end

    # @return [Array<Integer>] pids of the workers of a Puma cluster
    def workers(master)
      children(master).reject do |pid|
        command = read(pid, "cmdline").to_s.tr("\0", " ")
        command.match?(COLLECTOR) || read(pid, "comm").to_s.start_with?(WATCHER)
      end
    end

    # @return [String, nil] a file of its folder in /proc
    def read(pid, name)
      File.read("/proc/#{pid}/#{name}")
    rescue SystemCallError
      nil
    end

    def entries(pid, name)
      Dir.children("/proc/#{pid}/#{name}").size
    rescue SystemCallError
      nil
    end
  end
end
