# frozen_string_literal: true

# `holdup exec` within `holdup exec`, perhaps of another version: the first does it.
return if defined?(Holdup::ExecBoot)

module Holdup
  # Loaded first into every Ruby that `holdup exec` starts (RUBYOPT=-r). Loads nothing else: it waits for the
  # application's own Rails, server or job runner and hooks in there, with or without Holdup in the Gemfile.
  #
  # Waits with `const_added`, which costs nothing once they are loaded; a TracePoint would stop YJIT from
  # compiling, and a hooked `require` would be in all backtraces.
  module ExecBoot
    LIB = File.expand_path("../..", __dir__)
    # Programs other than an application; their children may be one. Rake's tasks may run jobs.
    TOOLS = %w[gem irb rdoc ri erb].freeze
    RAKE = "rake"
    # Rails::Railtie is complete when Rails::Engine appears.
    RAILS = "Rails::Engine"
    PUMA = "Puma::Launcher"
    # The classes of Servers::KNOWN, which is not loaded here.
    SERVERS = File.readlines(File.join(__dir__, "servers/awaited.txt")).map { |line| line[/\S+/] }.freeze

    # Extends Object and the modules around the awaited classes, which inherit `const_added`: an alias that
    # another library makes in one of them can't come back here, as it would from a prepended module.
    module Watch
      def const_added(name)
        super
        ExecBoot.added(self, name) unless autoload?(name)
      end
    end

    class << self
      def install(program, arguments)
        watch(Object) unless tool?(File.basename(program), arguments)
      end

      # @param name [Symbol] of the constant that has just appeared in the owner
      def added(owner, name)
        full = owner.equal?(Object) ? name.name : "#{owner.name}::#{name}"
        if full == RAILS
          join(full) { require "holdup" }
        elsif full == PUMA
          puma
        elsif SERVERS.include?(full)
          join(full) { Holdup.servers.install(full) }
        elsif awaited_in?(full)
          watch(owner.const_get(name))
        end
      end

      private

      def tool?(program, arguments)
        TOOLS.include?(program) || (program == RAKE && arguments.empty?)
      end

      def awaited_in?(full)
        [RAILS, *SERVERS].any? { |constant| constant.start_with?("#{full}::") }
      end

      def watch(owner)
        owner.extend(Watch) if owner.is_a?(Module)
      end

      # Its process may have no bundle before it loads the application. (Puma loads its configuration before
      # its launcher.)
      def puma
        contained(PUMA) do
          require_relative "puma_boot"
          PumaBoot.wait_for_application(::Puma::Configuration)
        end
      end

      def join(what)
        contained(what) do
          require "holdup/base"
          yield
        end
      end

      # Holdup goes last into the load path, so that the one of the application's Gemfile loads first. When it
      # fails, the application runs without Holdup.
      def contained(what)
        $LOAD_PATH.push(LIB) unless $LOAD_PATH.include?(LIB)
        yield
      rescue StandardError, ScriptError => error
        $stderr.write("holdup: #{what} runs without Holdup: #{error.message}\n")
      end
    end
  end
end

Holdup::ExecBoot.install($PROGRAM_NAME, ARGV)
