# frozen_string_literal: true

# Which tests `bin/test` leaves to `bin/test --thorough`: those that only guard rare races, and whole runs
# that take minutes; which both leave to `bin/test --nightly`: more of the same, for longer than CI has; and
# which run on one Ruby alone: what is the same on every Ruby (documents, files of the gem), and what computes
# for long with code that other tests run on the second Ruby too.
#
#   thorough                        # the whole class
#   thorough def test_x = ...       # one test
#   repeated def test_x = ...       # runs in both, for as many turns as Thorough.turns says
#   nightly def test_x = ...        # one test, there alone
#   repeated_nightly def test_x = ... # runs everywhere, there for more turns
#   repeated_everywhere def test_x = ... # as `repeated`, and there for the most turns
#   one_ruby                        # the whole class
#   one_ruby def test_x = ...       # one test
#   linux                           # the whole class: about what the extension has on Linux alone
#   linux def test_x = ...          # one test
module Thorough
  class << self
    # @return [Symbol] :whole, :quick (without the other parts), :once (nor what the thorough part repeats for
    #   longer), :thorough or :nightly (that part only); test/run.rb says it, once
    attr_accessor :run

    # @return [Boolean] whether it runs on the second Ruby; test/run.rb says it, once
    attr_accessor :second

    # @return [Boolean] whether the extension has what only Linux has; test/run.rb says it, once
    attr_accessor :on_linux

    def quick? = run == :quick
  end
  self.run = :whole
  self.second = false
  self.on_linux = true

  # Of the tests that each of these two runs, which runs no others.
  MARKS = {
    thorough: %i[thorough repeated repeated_everywhere],
    nightly: %i[nightly repeated_nightly repeated_everywhere]
  }.freeze

  # @param few [Integer]
  # @param thorough [Integer] and with the marks for it
  # @param nightly [Integer] likewise
  # @return [Integer] how often a race is tried
  def self.turns(few, thorough: few, nightly: thorough)
    {thorough:, nightly:}.fetch(run, few)
  end

  # @param names [Array<Symbol>] tests of this class; none: all of them
  # @return [Array<Symbol>] for another mark
  def thorough(*names) = mark(:thorough, names)

  # @param names [Array<Symbol>] likewise
  # @return [Array<Symbol>] likewise
  def repeated(*names) = mark(:repeated, names)

  # @param names [Array<Symbol>] likewise
  # @return [Array<Symbol>] likewise
  def nightly(*names) = mark(:nightly, names)

  # @param names [Array<Symbol>] likewise
  # @return [Array<Symbol>] likewise
  def repeated_nightly(*names) = mark(:repeated_nightly, names)

  # @param names [Array<Symbol>] likewise
  # @return [Array<Symbol>] likewise
  def repeated_everywhere(*names) = mark(:repeated_everywhere, names)

  # @param names [Array<Symbol>] likewise
  # @return [Array<Symbol>] likewise
  def one_ruby(*names)
    names = names.flatten
    @one_ruby ||= []
    @one_ruby.concat(names.empty? ? [:all] : names)
    names
  end

  # About what the extension has on Linux alone.
  # @param names [Array<Symbol>] likewise
  # @return [Array<Symbol>] likewise
  def linux(*names)
    names = names.flatten
    @linux ||= []
    @linux.concat(names.empty? ? [:all] : names)
    names
  end

  # @return [Array<String>] the tests of this class that belong to this run
  def runnable_methods
    tests = super
    tests = tests.reject { |name| linux?(name) } unless Thorough.on_linux
    tests = tests.reject { |name| one_ruby?(name) } if Thorough.second
    case Thorough.run
    when :quick then tests.reject { |name| marked?(name, :thorough, :nightly) }
    when :once then tests.reject { |name| marked?(name, :nightly, *MARKS[:thorough]) }
    when :thorough, :nightly then tests.select { |name| marked?(name, *MARKS[Thorough.run]) }
    else tests
    end
  end

  private

  def mark(how, names)
    @marks ||= {}
    names = names.flatten
    names = [:all] if names.empty?
    names.each { |name| @marks[name] = how }
  end

  def marked?(name, *how)
    marks = @marks || {}
    how.include?(marks[name.to_sym] || marks[:all])
  end

  def linux?(name) = [:all, name.to_sym].intersect?(@linux || [])

  def one_ruby?(name) = [:all, name.to_sym].intersect?(@one_ruby || [])
end

Minitest::Test.singleton_class.prepend(Thorough)
