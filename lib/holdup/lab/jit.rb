# frozen_string_literal: true

module Holdup
  module Lab
    # What YJIT does for the user's own server: a sweep whose arms are off, on from Ruby's start, on once the
    # application is loaded, the same with little memory, and other Rubies.
    module Jit
      OFF = {"RUBY_YJIT_ENABLE" => "0", "HOLDUP_JIT" => "off"}.freeze
      AT_BOOT = {"RUBY_YJIT_ENABLE" => "1"}.freeze
      AFTER_BOOT = {"RUBY_YJIT_ENABLE" => "0", "HOLDUP_JIT" => "on"}.freeze
      STATES = {"off" => OFF, "at boot" => AT_BOOT, "after boot" => AFTER_BOOT}.freeze
      # Before 3.4 the code alone was limited, about a third of all.
      LIMITS_ALL = Gem::Version.new("3.4")
      CODE_SHARE = 3

      module_function

      # @param env [Hash{String => String}] the environment
      # @param states [Array<String>] of STATES beside off
      # @param mem_size [Integer, nil] MiB for one more arm
      # @param rubies [Array<OtherRuby>]
      # @return [Array<Arm>] off first
      def arms(env, states: STATES.keys, mem_size: nil, rubies: [])
        wanted = STATES.slice("off", *states)
        limited = mem_size && [Arm.new(label: "after boot, #{mem_size} MiB",
          extra: {**AFTER_BOOT, "RUBYOPT" => limit(env["RUBYOPT"], mem_size)})]
        [*wanted.map { |label, extra| Arm.new(label:, extra:) }, *limited,
          *rubies.flat_map { |ruby| wanted.map { |name, extra| Arm.new(label: "#{name}, Ruby #{ruby.version}", extra: {**extra, **ruby.env(env)}) } }]
      end

      def limit(rubyopt, mem_size, version: RUBY_VERSION)
        all = Gem::Version.new(version) >= LIMITS_ALL
        [rubyopt, "--yjit-disable",
          all ? "--yjit-mem-size=#{mem_size}" : "--yjit-exec-mem-size=#{[mem_size / CODE_SHARE, 1].max}"].compact.join(" ")
      end
    end
  end
end
