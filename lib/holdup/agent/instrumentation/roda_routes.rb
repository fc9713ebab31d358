# frozen_string_literal: true

require_relative "../../hooks/method_hook"
require_relative "unit_name"
require_relative "../runtime/resources"

module Holdup
  module Instrumentation
    # Follows how Roda's routing tree matches a request, for its name: `r.on "orders", Integer` is
    # "/orders/:integer". Roda keeps no route, but it calls a block only where its matchers have matched. They
    # are the application's own; the parts of the path that they match are not read.
    class RodaRoutes
      include Runtime::Resource

      # Those that take matchers and a block. `get` and `post` call the last one, which gets an array.
      METHODS = {on: "*args", is: "*args", _verb: "args"}.freeze
      # Longer patterns are no names.
      MOST_BYTES = 200
      # A text with three digits in a row may be an id that the application computes.
      PERHAPS_ID = /\d{3}/
      ANY = "/:any"
      private_constant :METHODS, :MOST_BYTES, :PERHAPS_ID, :ANY

      # @param guard [Guard]
      def initialize(guard:)
        @guard = guard
        @hooked = []
      end

      # Applications that are frozen have methods of their own, in a module that is loaded then.
      def install
        (owners - @hooked).each { |owner| hook(owner) }
      end

      # @param env [Hash] the Rack environment
      # @param matchers [Array]
      # @param block [Proc, nil] that is called when they have matched
      # @return [Proc, nil] to take its place
      def follow(env, matchers, block)
        return block unless block && Array === matchers
        proc do |*captures|
          matched(env, matchers)
          block.call(*captures)
        end
      end

      # @return [void]
      def matched(env, matchers)
        pattern = (env[UnitName::PATTERN] || mount(env)) + matchers.map { |one| part(one) }.join
        env[UnitName::PATTERN] = pattern unless pattern.empty? || pattern.bytesize > MOST_BYTES
      rescue *Guard::FAILURES => error
        @guard.failed(:name, error)
      end

      private

      def owners
        plugins = ::Roda::RodaPlugins
        named = %i[Base OptimizedMatching].select { |name| plugins.const_defined?(name, false) }
        named.map { |name| plugins.const_get(name)::RequestMethods }
      end

      def hook(owner)
        @hooked << owner
        METHODS.each do |name, signature|
          Hooks::MethodHook.new(owner, name, by: :name, signatures: [signature],
            constants: {HoldupRoutes: self}) { |method|
            matchers = (name == :_verb) ? method.positional(0) : method.given
            "#{method.block} = HoldupRoutes.follow(@env, #{matchers}, #{method.block})\n#{method.call}"
          }.install(@guard)
        end
      end

      # Where another application has mounted this one.
      def mount(env)
        script = env["SCRIPT_NAME"].to_s
        PERHAPS_ID.match?(script) ? ANY : script
      end

      # What matches no part of the path is not in it: a method, a header, a proc, the end of the path.
      def part(matcher)
        case matcher
        when String then PERHAPS_ID.match?(matcher) ? ANY : "/#{matcher}"
        when Symbol then "/:#{matcher}"
        when Class then "/:#{matcher.name.to_s[/\w+\z/].to_s.downcase}"
        when Regexp, Array, Set then ANY
        end
      end
    end
  end
end
