# frozen_string_literal: true

require_relative "../model/flat_json"
require_relative "../model/ruby_version"
require_relative "../version"
require_relative "deployed_revision"

module Holdup
  # Collects the facts that change results, for the setting of this process (see Holdup::Setting).
  class SettingFacts
    GC_PREFIX = "RUBY_GC_"

    def initialize(configuration:, env:, root:, machine: CpuQuota.new)
      @configuration = configuration
      @env = env
      @root = root
      @machine = machine
    end

    # @param server [Hash{String => Object}] facts from the server's adapter: server, threads, workers ...
    def to_h(server: {})
      facts = {**ruby, **scheduling, **memory, **application, **@machine.to_h, **server}
      facts.compact.sort.to_h
    end

    # @param room [Integer, nil] most bytes
    def to_json(server: {}, room: nil)
      FlatJson.generate(to_h(server:), room:)
    end

    private

    def ruby
      {
        "holdup" => VERSION,
        "ruby" => RUBY_VERSION,
        "ruby_patch" => RUBY_PATCHLEVEL,
        "engine" => RUBY_ENGINE,
        "platform" => RUBY_PLATFORM
      }
    end

    def scheduling
      {
        "time_slice_ms" => @env["RUBY_THREAD_TIMESLICE"],
        "mn_threads" => (true if RubyVersion.shares_native_threads?(@env)),
        "max_cpu" => @env["RUBY_MAX_CPU"]
      }
    end

    def memory
      {
        "gc" => gc,
        "malloc" => @env["LD_PRELOAD"].to_s.b[/jemalloc|tcmalloc|mimalloc/],
        "malloc_arena_max" => @env["MALLOC_ARENA_MAX"],
        "malloc_conf" => @env["MALLOC_CONF"]
      }
    end

    def gc
      settings = @env.filter_map do |key, value|
        "#{key.delete_prefix(GC_PREFIX).downcase}=#{value}" if key.start_with?(GC_PREFIX)
      end
      settings.sort.join(" ") unless settings.empty?
    end

    def application
      {
        "app" => @configuration.app,
        "revision" => revision,
        "arm" => arm,
        "rails" => rails,
        "environment" => @env["RAILS_ENV"] || @env["RACK_ENV"]
      }
    end

    # A server's hooks may give each worker its arm, after the configuration was read in the master.
    def arm
      text = Utf8.valid(@env["HOLDUP_ARM"])
      text.empty? ? @configuration.arm : text
    end

    def rails
      ::Rails.version if defined?(::Rails.version)
    end

    def revision
      return @revision if defined?(@revision)
      @revision = @configuration.revision || DeployedRevision.new(env: @env, root: @root).call
    end
  end

  class SettingFacts
    # The control group of a process, version 1 or 2: its CPU quota, and the folders of its other files.
    #
    # A limit may be set on the group or on any group around it (a pod's, a slice's), so all are read. In a
    # container the kernel may name a path that does not exist: then the root of the mounted tree is the
    # container's own. Limits are read each time, because they can change while the process lives.
    class Cgroup
      # Possible folders of a controller where several share one hierarchy.
      FOLDERS = {
        "cpu" => %w[cpu cpu,cpuacct cpuacct,cpu],
        "cpuacct" => %w[cpuacct cpu,cpuacct cpuacct,cpu]
      }.freeze
      Limit = Data.define(:folder, :vcpus)

      def initialize(proc: "/proc", root: "/sys/fs/cgroup", pid: "self")
        @root = root
        @groups = "#{proc}/#{pid}/cgroup"
        @folders = {}
      end

      # vCPUs that the quota gives; nil without one.
      def quota = limit&.vcpus

      # @return [Limit, nil] the tightest quota, and the group that has it
      def limit
        folders("cpu").filter_map { |folder| limit_of(folder) }.min_by(&:vcpus)
      end

      # Looked for again when the process has come into another group.
      # @return [Array<String>] the group's folder, then those around it
      def folders(controller)
        text = read(@groups)
        @folders.clear unless text == @text
        @text = text
        @folders[controller] ||= seek_folders(controller, lines_of(text))
      end

      # @return [String, nil]
      def read(path)
        return KernelFile.read(path) if defined?(KernelFile)
        File.binread(path) if File.file?(path)
      rescue SystemCallError
        nil
      end

      private

      def lines_of(text) = text.to_s.lines(chomp: true).map { |line| line.split(":", 3) }

      def seek_folders(controller, lines)
        base, path = version_1(controller, lines) || version_2(lines)
        levels(path.to_s).map { |level| File.join(base, level) }.select { |folder| File.directory?(folder) }
      end

      def version_1(controller, lines)
        path = lines.find { |_, names, _| names.to_s.split(",").include?(controller) }&.last
        candidates = FOLDERS.fetch(controller, [controller]).map { |name| File.join(@root, name) }
        base = candidates.find { |folder| File.directory?(folder) }
        [base, path] if base && path
      end

      # The second version has a folder of its own if both are mounted.
      def version_2(lines)
        unified = File.join(@root, "unified")
        base = File.directory?(unified) ? unified : @root
        line = lines.find { |number, names, _| number == "0" && names == "" }
        [base, line&.last]
      end

      # "/a/b" => /a/b, /a, /
      def levels(path)
        parts = path.split("/").reject { |part| part.empty? || part == ".." }
        parts.size.downto(0).map { |size| parts.first(size).join("/") }
      end

      def limit_of(folder)
        quota, period = read("#{folder}/cpu.max")&.split || quota_of_version_1(folder)
        Limit.new(folder:, vcpus: quota.to_f / period.to_f) if quota.to_i.positive? && period.to_i.positive?
      end

      def quota_of_version_1(folder)
        [read("#{folder}/cpu.cfs_quota_us"), read("#{folder}/cpu.cfs_period_us")]
      end
    end

    # The CPUs that a process may run on, and the quota of its container, as they are now: both can change
    # while it lives. Read from Linux's files, because Holdup loads no gem into an application.
    class CpuQuota
      def initialize(proc: "/proc", cgroup: "/sys/fs/cgroup", pid: "self")
        @proc = proc
        @status = "#{proc}/#{pid}/status"
        @cgroup = Cgroup.new(proc:, root: cgroup, pid:)
      end

      # @return [Hash{String => Numeric, nil}] cpus: allowed CPUs; vcpus: what the quota leaves of them
      def to_h
        cpus = self.cpus
        {"cpus" => cpus, "vcpus" => [@cgroup.quota, cpus].compact.min}.freeze
      end

      private

      def cpus
        list = @cgroup.read(@status)&.slice(/^Cpus_allowed_list:\s*(\S+)/, 1)
        list ? count(list) : without_proc
      end

      # As on macOS. Where there is a /proc, one of another process that has ended says nothing.
      def without_proc
        return if File.exist?("#{@proc}/self")
        require "etc"
        Etc.nprocessors
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
