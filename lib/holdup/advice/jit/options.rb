# frozen_string_literal: true

require_relative "../change"

module Holdup
  module Advice
    module Jit
      # The exact text that gives Ruby an option of its JIT, or takes one away, with what it was started with kept.
      module Options
        CODE_SIZE, TOTAL_SIZE, THRESHOLD = "--yjit-exec-mem-size", "--yjit-mem-size", "--yjit-call-threshold"
        # What `config.jit` calls them, where it can give them to a Ruby that runs.
        KEYWORDS = {TOTAL_SIZE => "mem_size", THRESHOLD => "call_threshold"}.freeze
        WAIT = "--yjit-disable"

        module_function

        # @param life [Analysis::Jits::Life] the process that is to have it
        # @param name [String]
        # @param value [Integer]
        # @return [Change]
        def with(life, name, value)
          return Change.new(new: "config.jit = {#{KEYWORDS[name]}: #{value}}") if KEYWORDS[name] && life.ruby&.takes_options?
          rubyopt([*kept(life, name), "#{name}=#{value}"], life)
        end

        # @param life [Analysis::Jits::Life]
        # @param name [String]
        # @return [Change]
        def without(life, name) = rubyopt(kept(life, name), life)

        # @param life [Analysis::Jits::Life] one that has its JIT from Ruby's start
        # @return [Change] that it waits until it is switched on
        def late(life)
          Change.new(new: "config.jit = :on", rest: "RUBYOPT=\"#{[*kept(life, "--yjit"), WAIT].uniq.join(" ")}\"")
        end

        def rubyopt(options, life)
          options = [WAIT, *options] unless life.facts.at_boot? || options.include?(WAIT) || options.empty?
          Change.new(new: "RUBYOPT=\"#{options.join(" ")}\"")
        end

        def kept(life, name) = life.facts.options.to_s.split.reject { |option| option == name || option.start_with?("#{name}=") }
        private_class_method :rubyopt, :kept
      end
    end
  end
end
