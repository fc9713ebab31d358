# frozen_string_literal: true

module Holdup
  # Loaded first into every Ruby that `holdup exec` starts (RUBYOPT=-r). Loads no gem and nothing else: it waits until
  # the application's own Rails or Puma comes up, and joins in there, whether or not its Gemfile knows Holdup.
  #
  # It sees them come through `const_added`, which costs nothing once they are loaded; a TracePoint would keep YJIT from
  # compiling, and a hooked `require` would be in everybody's backtraces.
  module ExecBoot
    LIB = File.expand_path("..", __dir__)
    # Programs that are no application themselves; their children may be.
    TOOLS = %w[rake gem irb rdoc ri erb].freeze

    # Prepended to the singleton classes of Object, Rails and Puma.
    module Watch
      def const_added(name)
        super
        ExecBoot.added(self, name) unless autoload?(name)
      end
    end

    # Prepended to Puma::Launcher: the plugin, as if puma.rb had named it.
    module Launcher
      def run
        ExecBoot.guarded("puma") { config.plugins.create("holdup") }
        super
      end
    end

    class << self
      # @param program [String] what this Ruby runs
      # @return [void]
      def install(program)
        watch(Object) unless TOOLS.include?(File.basename(program))
      end

      # @param owner [Module] Object, Rails or Puma
      # @param name [Symbol] of the constant that has just appeared in it
      # @return [void]
      def added(owner, name)
        case name
        when :Rails, :Puma then watch(owner.const_get(name)) if owner == Object
        when :Engine then join_rails if owner.name == "Rails" # Rails::Railtie is complete by now
        when :Launcher then join_puma(owner) if owner.name == "Puma"
        end
      end

      # The application's processes run without us rather than not at all.
      def guarded(what)
        yield
      rescue StandardError, ScriptError => error
        $stderr.write("holdup: #{what} runs without Holdup: #{error.message}\n")
      end

      private

      def watch(owner)
        owner.singleton_class.prepend(Watch)
      end

      # Last in the load path: where the application has a Holdup of its own, that one is taken.
      def join_rails
        add_load_path
        guarded("Rails") { require "holdup" }
      end

      def join_puma(puma)
        add_load_path
        puma.const_get(:Launcher).prepend(Launcher)
      end

      def add_load_path
        $LOAD_PATH.push(LIB) unless $LOAD_PATH.include?(LIB)
      end
    end
  end
end

Holdup::ExecBoot.install($PROGRAM_NAME)
