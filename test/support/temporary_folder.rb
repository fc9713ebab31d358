# frozen_string_literal: true

require "tmpdir"

# A folder of the test's own, gone when the test is.
module TemporaryFolder
  # @return [String]
  def folder = @folder ||= Dir.mktmpdir("holdup")

  def teardown
    super
    FileUtils.rm_rf(@folder) if @folder
  end
end
