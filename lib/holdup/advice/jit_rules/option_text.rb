# frozen_string_literal: true

module Holdup
  module Advice
    module JitRules
      # The exact text that gives Ruby an option of its JIT, or takes one away, with what it was started with
      # kept.
      module OptionText
        CODE_SIZE = "--yjit-exec-mem-size"
        TOTAL_SIZE = "--yjit-mem-size"
        THRESHOLD = "--yjit-call-threshold"
        # What `config.jit` calls them, where it can give them to a Ruby that runs.
        KEYWORDS = {TOTAL_SIZE => "mem_size", THRESHOLD => "call_threshold"}.freeze
        WAIT = "--yjit-disable"

        module_function

        # @param life [Analysis::JitReport::ProcessLife] the process that is to have it
        # @param name [String]
        # @param value [Integer]
        # @return [ProposedChange]
        def with(life, name, value)
          if KEYWORDS[name] && life.ruby&.takes_options?
            return ProposedChange.new(new: "config.jit = {#{KEYWORDS[name]}: #{value}}")
          end
          rubyopt([*kept(life, name), "#{name}=#{value}"], life)
        end

        # @param life [Analysis::JitReport::ProcessLife]
        # @param name [String]
        # @return [ProposedChange]
        def without(life, name)
          rubyopt(kept(life, name), life)
        end

        # @param life [Analysis::JitReport::ProcessLife] one that has its JIT from Ruby's start
        # @return [ProposedChange] that it waits until it is switched on
        def late(life)
          ProposedChange.new(new: "config.jit = :on",
            rest: "RUBYOPT=\"#{[*kept(life, "--yjit"), WAIT].uniq.join(" ")}\"")
        end

        def rubyopt(options, life)
          options = [WAIT, *options] unless life.facts.at_boot? || options.include?(WAIT) || options.empty?
          ProposedChange.new(new: "RUBYOPT=\"#{options.join(" ")}\"")
        end

        def kept(life, name)
          life.facts.options.to_s.split.reject { |option| option == name || option.start_with?("#{name}=") }
        end
        private_class_method :rubyopt, :kept
      end
    end
  end
end
