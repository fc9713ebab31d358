# frozen_string_literal: true

require "holdup/agent/child_environment"

# The environment of a child that has another bundle than the tests, or none.
module OtherBundle
  # Bundler sets them for the bundle of the tests. BUNDLE_LOCKFILE (from Bundler 4 on) would make the child's
  # Bundler overwrite the lockfile of this project.
  OF_THE_TESTS = Holdup::ChildEnvironment::OF_BUNDLER.to_h { |name| [name, nil] }.freeze
  # As from a terminal.
  NONE = {"RUBYOPT" => nil, "RUBYLIB" => nil, **OF_THE_TESTS}.freeze

  # @param gemfile [String]
  # @return [Hash{String => String, nil}]
  def self.of(gemfile, **more)
    {**NONE, "BUNDLE_GEMFILE" => gemfile, **more.transform_keys(&:to_s)}
  end
end
