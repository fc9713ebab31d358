# frozen_string_literal: true

module Holdup
  # What a version of CRuby does: the one place that knows version numbers. Whoever behaves differently on
  # another Ruby asks for the ability.
  #
  # Sources: yjit/src/options.rs, doc/yjit/yjit.md, zjit.rb and thread.c of the releases, and NEWS.
  #
  # - `numbers`: [3, 4, 5]
  RubyVersion = Data.define(:numbers) do
    # @param text [String] "3.4.5", "4.1.0dev"; what is no version is older than all
    def self.parse(text)
      new(numbers: text.to_s.scan(/\A\d+(?:\.\d+)*/).first.to_s.split(".").map(&:to_i).freeze)
    end

    # The Ruby that runs this.
    def self.here = parse(RUBY_VERSION)

    def at_least?(*others) = (numbers <=> others) >= 0

    # "3.4"
    def minor = numbers.first(2).join(".")

    # Whether RUBY_THREAD_TIMESLICE sets the time slice.
    def sets_time_slice? = at_least?(*self.class::SETS_TIME_SLICE)

    # Whether YJIT's limit covers code and metadata together; before, only the code.
    def limits_total? = at_least?(3, 4)

    # YJIT's default limit in MiB.
    def default_size
      return 128 if limits_total?
      at_least?(3, 3, 1) ? 48 : 64
    end

    # Whether `RubyVM::YJIT.enable` takes a size and a threshold.
    def takes_options? = at_least?(4, 0)

    # Whether YJIT counts what it failed to compile.
    def counts_failures? = at_least?(3, 4)

    # Whether YJIT counts the instructions that the interpreter runs, in builds without statistics too.
    def counts_interpreted? = !at_least?(4, 0)
  end

  # The first version whose environment sets the time slice.
  RubyVersion::SETS_TIME_SLICE = [3, 4].freeze
end
