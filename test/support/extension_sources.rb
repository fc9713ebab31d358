# frozen_string_literal: true

# The C files of the extension. A list of them that is empty would make the tests that walk it pass.
module ExtensionSources
  FOLDER = File.expand_path("../../ext/holdup", __dir__)

  class << self
    # @return [Array<String>] paths of sources and headers
    def all = found("c", "h")

    # @return [Array<String>] paths of what is compiled
    def compiled = found("c")

    private

    def found(*endings)
      files = Dir[File.join(FOLDER, "**/*.{#{endings.join(",")}}")].sort
      raise "#{FOLDER} has no files that end with #{endings.join(" or ")}" if files.empty?
      files
    end
  end
end
