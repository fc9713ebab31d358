# frozen_string_literal: true

module Holdup
  module Analysis
    class JitReport
      # The JIT of one process, from the setting, profile and gauges of its segment, or from its samples.
      # - `kind`: "yjit", "zjit", "off"; nil while it is unknown
      # - `by`: "holdup", "rails", "application", "RUBYOPT", "command line", "RUBY_YJIT_ENABLE"; `at`: "boot"
      #   with Ruby, "parent" before the process was forked, "process" in it; `parent`: "on" or "off" in the
      #   process it was forked from
      # - `wish`: "on", "off", nil; `rubyopt`: wanted options that only Ruby's start takes; `options`: given
      # - `effective`, `saturated`: true, false, nil while unknown; `suspects`: libraries that may prevent it;
      #   `stats`: "on" with deep statistics, with which the effect is not known
      # - `since_ns`, `warm_ns`: nanoseconds since 1970; sizes in bytes
      # - `ratio_in_yjit`: percentage of instructions that ran compiled; needs deep statistics from the start
      # - `failures`, `code_gcs`, `redefined`: counts since the start; `prepared`: parent ran Process.warmup
      JitFacts = Data.define(:kind, :by, :at, :parent, :wish, :available, :rubyopt, :options,
        :effective, :stats, :suspects, :saturated, :since_ns, :warm_ns,
        :code_bytes, :metadata_bytes, :limit_bytes, :limit_of, :limit_from, :threshold,
        :compiled_iseqs, :live_iseqs, :invalidations, :failures, :code_gcs, :redefined,
        :prepared, :ratio_in_yjit) do
        def initialize(**known)
          super(**self.class.members.to_h { |name| [name, nil] }, **known)
        end

        def self.of(setting, profile = {}, gauges = {})
          names = %i[kind by at parent wish available rubyopt suspects limit_of limit_from threshold prepared
            ratio_in_yjit]
          facts = names.to_h { |name| [name, profile["jit.#{name}"]] }
          from_setting = {kind: setting["jit"], by: setting["jit_by"], stats: setting["jit_stats"]}.compact
          new(**facts, **from_setting, effective: setting["jit_effective"], options: setting["jit_options"],
            **figures(gauges))
        end

        def self.figures(gauges)
          names = %i[limit_bytes compiled_iseqs live_iseqs invalidations failures code_gcs redefined]
          {saturated: gauges[:jit_saturated]&.positive?,
           since_ns: gauges[:jit_enabled_ns],
           warm_ns: gauges[:jit_warm_ns],
           **JitMemory.of(gauges).to_h,
           **names.to_h { |name| [name, gauges[:"jit_#{name}"]] }}
        end
        private_class_method :figures

        def on?
          !kind.nil? && !off?
        end

        def off? = kind == "off"

        # Advice on options and on TracePoints is for YJIT: ZJIT has other options, and Ruby exits when it
        # gets those of both.
        def yjit? = kind == "yjit"

        def zjit? = kind == "zjit"

        # @return [String] for sentences
        def name = kind.to_s.upcase

        # Whether its statistics are on.
        def deep? = on? && stats == "on"

        def memory = JitMemory.new(code_bytes:, metadata_bytes:)

        def total_bytes = memory.total_bytes

        def memory_bytes = memory.memory_bytes

        def size_option
          return "--zjit-mem-size" if zjit?
          (limit_of == "code") ? "--yjit-exec-mem-size" : "--yjit-mem-size"
        end

        def larger_mib
          limit_bytes && (limit_bytes * LARGER / MIB).ceil
        end

        # A process that is full with an unknown limit takes what is used as the limit.
        def limited
          with(limit_bytes: (limit_of == "code") ? code_bytes : total_bytes)
        end

        # What a process may grow by with that limit; where the limit is of the code, metadata comes on top.
        def larger_by_bytes
          limit_bytes && process_bytes(larger_mib * MIB - limit_bytes)
        end

        def room_bytes
          limit_bytes && [process_bytes(limit_bytes) - memory_bytes.to_i, 0].max
        end

        # What a process grows by with so many bytes of what the limit counts.
        def process_bytes(bytes)
          total = (limit_of == "code") ? JitReport.with_metadata(bytes) : bytes
          JitReport.memory(total).ceil
        end

        def suspected = suspects.to_s.split(", ")

        def at_boot? = at == "boot"

        # Whether the process inherited it, and its parent did not have it from Ruby's start.
        def inherited?
          on? && at == "parent"
        end
      end
    end
  end
end
