# frozen_string_literal: true

require "etc"

module Bench
  # The kind of machine that figures come from: enough to compare, nothing that names it.
  module MachineDescription
    CPUINFO = "/proc/cpuinfo"
    CLOCKSOURCE = "/sys/devices/system/clocksource/clocksource0/current_clocksource"

    # @return [String] one line
    def self.to_s
      [cpu, "#{Etc.nprocessors} cores", memory, kernel, ruby, load].compact.join(", ")
    end

    def self.cpu
      return Etc.uname[:machine] unless File.readable?(CPUINFO)
      text = File.read(CPUINFO)
      name = text[/^model name\s*:\s*(.+)/, 1] || Etc.uname[:machine]
      text[/^flags.*\bhypervisor\b/] ? "#{name} (virtual machine)" : name
    end

    def self.memory
      kilobytes = File.read("/proc/meminfo")[/^MemTotal:\s*(\d+)/, 1] if File.readable?("/proc/meminfo")
      "#{(kilobytes.to_f / 1024**2).round} GB" if kilobytes
    end

    def self.kernel
      source = File.read(CLOCKSOURCE).strip if File.readable?(CLOCKSOURCE)
      "#{Etc.uname[:sysname]} #{Etc.uname[:release][/\A[\d.]+/]}#{" (clock source #{source})" if source}"
    end

    def self.ruby
      "Ruby #{RUBY_VERSION} (#{RUBY_PLATFORM})"
    end

    # Benches of a busy machine are worth less, so it is said.
    def self.load
      return unless File.readable?("/proc/loadavg")
      "load average at the start #{File.read("/proc/loadavg")[/\A\S+/]}"
    end
    private_class_method :cpu, :memory, :kernel, :ruby, :load
  end
end
