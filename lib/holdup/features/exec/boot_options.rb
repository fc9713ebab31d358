# frozen_string_literal: true

module Holdup
  module Exec
    # Variables with which every Ruby that a command starts has Holdup in it: RUBYOPT loads one small file
    # first.
    class BootOptions
      FILE = Runtime::CollectorSupervisor::BOOT
      # A server that executes itself again (Puma at SIGUSR2) under `bundle exec holdup exec` restores this.
      BUNDLERS = "#{ChildEnvironment::PREFIX}RUBYOPT"
      BUNDLERS_NIL = ChildEnvironment::WAS_NOT_SET
      private_constant :BUNDLERS, :BUNDLERS_NIL

      # @raise [UnsupportedError] this gem lies where RUBYOPT can't load from
      def self.check
        return unless FILE.match?(/\s/)
        raise UnsupportedError.new("RUBYOPT can't load a file whose path has a space (#{FILE})",
          "install the gem elsewhere or name it in the Gemfile")
      end

      # @param env [#[]] that the command would have
      def initialize(env)
        @env = env
      end

      # @return [Hash{String => String}]
      def to_h
        bundler = @env[BUNDLERS]
        {"RUBYOPT" => booting(@env["RUBYOPT"]), BUNDLERS => bundler && booting(bundler)}.compact
      end

      private

      def booting(options)
        [options, "-r#{FILE}"].compact.join(" ").sub(BUNDLERS_NIL, "").strip
      end
    end
  end
end
