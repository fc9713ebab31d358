# frozen_string_literal: true

module Holdup
  module Servers
    class Puma
      # Whether Puma runs this process. An application that has it in its Gemfile has its name in every
      # process.
      module Detection
        # Started by `puma`, the launcher is there before the application; `rails server` loads it afterwards,
        # and before that only the handler. (`require "puma"` promises a launcher in every process of an
        # application.)
        # @return [Boolean] whether this process is run by Puma
        def here?
          launcher? ? ObjectSpace.each_object(::Puma::Launcher).any? : awaited?
        end

        # @return [Boolean] whether it is loaded
        def launcher?
          !::Puma.autoload?(:Launcher) && ::Puma.const_defined?(:Launcher)
        end

        # @return [Boolean] whether a server by way of Rack is about to run, with Puma
        def awaited?
          servers = %w[Rackup::Server Rack::Server].select { |name| Object.const_defined?(name) }
          ::Puma.const_defined?(:RackHandler) && servers.any? { |name| ObjectSpace.each_object(Object.const_get(name)).any? }
        end
      end
    end
  end
end
