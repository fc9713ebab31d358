# frozen_string_literal: true

require "fileutils"
require "tmpdir"

# A folder of captures with the one of the storefront in it. See test/fixtures/README.md.
class KeptCapture
  FILE = File.expand_path("../fixtures/storefront.holdup-capture", __dir__)
  ID = "20261121T180807Z-13424"
  # The unit that it was taken for.
  CAUGHT = 142

  # @return [String]
  attr_reader :folder

  def initialize
    @folder = Dir.mktmpdir("holdup")
    FileUtils.cp(FILE, File.join(@folder, "#{ID}.holdup-capture"))
  end

  # @param words [Hash] for the address
  # @return [String]
  def path(**words)
    "/capture?#{URI.encode_www_form(id: ID, **words)}"
  end

  def remove = FileUtils.rm_rf(@folder)
end
