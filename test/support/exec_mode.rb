# frozen_string_literal: true

require "rbconfig"
require "tmpdir"

# `holdup exec` with a program whose Gemfile does not name Holdup.
module ExecMode
  HOLDUP = [RbConfig.ruby, File.expand_path("../../exe/holdup", __dir__), "exec", "--"].freeze

  # @param command [Array<String>]
  # @param gems [Hash{String => String}] name => version of all that the application names
  # @yieldparam command [Array<String>]
  def self.command(command, gems)
    Dir.mktmpdir do |folder|
      gemfile = File.join(folder, "Gemfile")
      File.write(gemfile,
        ["source \"https://rubygems.org\"",
          *gems.map { |name, version| "gem #{name.inspect}, #{version.inspect}" }].join("\n"))
      environment = ["-u", "BUNDLE_LOCKFILE", "BUNDLE_GEMFILE=#{gemfile}", "WITHOUT_HOLDUP=1"]
      yield [*HOLDUP, "env", *environment, *command]
    end
  end
end
