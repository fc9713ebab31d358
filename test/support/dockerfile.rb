# frozen_string_literal: true

# What a Dockerfile says, for tests that take its steps without Docker.
module Dockerfile
  # @param path [String]
  # @return [Hash{String => Array<String>}] instruction => arguments, with continued lines joined
  def self.instructions(path)
    lines = File.read(path).gsub("\\\n", " ").lines(chomp: true)
    lines.grep(/\A[A-Z]+ /).map { |line| line.split(" ", 2) }.group_by(&:first)
      .transform_values { |same| same.map(&:last) }
  end
end
