# frozen_string_literal: true

module Holdup
  # What a version of CRuby does: the one place that knows version numbers. Whoever behaves differently on
  # another Ruby asks for the capability, which tests switch on and off: `version.with(limits_total: false)`.
  #
  # Sources: yjit/src/options.rs, doc/yjit/yjit.md, zjit.rb, gc.rb and thread.c of the releases, NEWS, and for
  # 4.0 and 4.1 what was measured on them.
  #
  # - `numbers`: [3, 4, 5]
  # - one member for each of CAPABILITIES, true or false
  class RubyVersion < Data.define(
    :numbers, :sets_time_slice, :limits_total, :takes_options, :counts_failures, :counts_interpreted,
    :advises_against_zjit, :scopes_gc_stat
  )
    # The versions that have it, by their first numbers.
    CAPABILITIES = {
      # RUBY_THREAD_TIMESLICE sets the time slice.
      sets_time_slice: ([3, 4]..),
      # YJIT's limit covers code and metadata together; before, only the code.
      limits_total: ([3, 4]..),
      # `RubyVM::YJIT.enable` takes a size and a threshold. `RubyVM::ZJIT.enable` takes nothing.
      takes_options: ([4, 0]..),
      # YJIT counts what it failed to compile.
      counts_failures: ([3, 4]..),
      # YJIT counts the instructions that the interpreter runs, in builds without statistics too.
      counts_interpreted: (...[4, 0]),
      # ZJIT is slower than YJIT, and its authors advise against it in production.
      advises_against_zjit: ([4, 0]...[4, 1]),
      # `GC.stat` is that of the current Ractor, and `scope: :global` asks for the process.
      scopes_gc_stat: ([4, 1]..)
    }.freeze
    # Operating systems whose Ruby has no events of the GVL.
    WITHOUT_EVENTS = /mswin|mingw|cygwin/

    class << self
      # @param text [String] "3.4.5", "4.1.0dev"; what is no version is older than all
      def parse(text)
        numbers = text.to_s.scan(/\A\d+(?:\.\d+)*/).first.to_s.split(".").map(&:to_i).freeze
        new(numbers:, **CAPABILITIES.transform_values { |versions| covers?(versions, numbers) })
      end

      # The Ruby that runs this. What can be looked up in it does not depend on its number, which previews of
      # a version share with its release.
      def here = parse(RUBY_VERSION).with(scopes_gc_stat: scoped?(GC.method(:stat)))

      # @return [String] the first version that has it: "3.4"
      def since(capability) = CAPABILITIES.fetch(capability).begin.join(".")

      # @return [Boolean] whether this Ruby reports who takes the GVL and who gives it back
      def events?(engine: RUBY_ENGINE, platform: RUBY_PLATFORM)
        engine == "ruby" && !platform.match?(WITHOUT_EVENTS)
      end

      # @param env [#[]]
      # @return [Boolean] whether the threads of the main Ractor share native threads (M:N)
      def shares_native_threads?(env) = env["RUBY_MN_THREADS"].to_i.positive?

      # @param stat [Method] GC.stat
      def scoped?(stat) = stat.parameters.include?([:key, :scope])

      private

      # Each number that is missing is older than any.
      def covers?(versions, numbers)
        from = versions.begin
        before = versions.end
        (from.nil? || (numbers <=> from) >= 0) && (before.nil? || (numbers <=> before).negative?)
      end
    end

    CAPABILITIES.each_key do |name|
      define_method(:"#{name}?") { public_send(name) }
    end

    def at_least?(*others) = (numbers <=> others) >= 0

    # Orders versions by their numbers.
    def <=>(other) = numbers <=> other.numbers

    # "3.4"
    def minor = numbers.first(2).join(".")

    # "3.4.5"
    def to_s = numbers.join(".")

    # YJIT's default limit in MiB.
    def default_size
      return 128 if limits_total?
      at_least?(3, 3, 1) ? 48 : 64
    end
  end
end
