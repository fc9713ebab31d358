# frozen_string_literal: true

# Says in a file that it has run, so that a test knows without Holdup how many have.
class CountedJob < ActiveJob::Base
  def perform = File.write(ENV.fetch("DONE"), ".", mode: "a")
end
