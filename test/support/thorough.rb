# frozen_string_literal: true

# Which tests `bin/test` leaves to `bin/test --thorough`: those that only guard rare races, and whole runs
# that take minutes.
#
#   thorough                        # the whole class
#   thorough def test_x = ...       # one test
#   repeated def test_x = ...       # runs in both, for as many turns as Thorough.turns says
module Thorough
  class << self
    # @return [Symbol] :whole, :quick (without the thorough part) or :thorough (that part only); test/run.rb
    #   says it, once
    attr_accessor :run

    def only? = run == :thorough

    def left_out? = run == :quick
  end
  self.run = :whole

  # @param few [Integer]
  # @param thorough [Integer]
  # @return [Integer] how often a race is tried
  def self.turns(few, thorough:)
    only? ? thorough : few
  end

  # @param names [Array<Symbol>] tests of this class; none: all of them
  # @return [void]
  def thorough(*names) = mark(:thorough, names)

  # @param names [Array<Symbol>] likewise
  # @return [void]
  def repeated(*names) = mark(:repeated, names)

  # @return [Array<String>] the tests of this class that belong to this run
  def runnable_methods
    return super.reject { |name| marked?(name, :thorough) } if Thorough.left_out?
    return super.select { |name| marked?(name, :thorough, :repeated) } if Thorough.only?
    super
  end

  private

  def mark(how, names)
    @marks ||= {}
    names = [:all] if names.empty?
    names.each { |name| @marks[name] = how }
  end

  def marked?(name, *how)
    marks = @marks || {}
    how.include?(marks[name.to_sym] || marks[:all])
  end
end

Minitest::Test.singleton_class.prepend(Thorough)
