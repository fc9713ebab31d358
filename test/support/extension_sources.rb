# frozen_string_literal: true

require "rbconfig"

# The C files of the extension. A list of them that is empty would make the tests that walk it pass.
module ExtensionSources
  FOLDER = File.expand_path("../../ext/holdup", __dir__)
  # Folders of headers that they include: ours and this Ruby's.
  HEADERS = [FOLDER, *RbConfig::CONFIG.values_at("rubyhdrdir", "rubyarchhdrdir")].freeze
  # What needs no Ruby, with the stubs of native/kernels for what it calls in the rest.
  WITHOUT_RUBY = %w[capture/capture clock hook/pair_parties hook/pair_records hook/pairs hook/thread_clock
    private_file reader/replay reader/replay_gvl segment/segment segment/segment_file segment/segment_name
    segment/segment_open_units segment/segment_pairs segment/segment_record unit/measurement unit/unit
    unit/unit_pools]
    .map { |name| File.join(FOLDER, "#{name}.c") }.freeze
  STUBS = Dir[File.expand_path("../native/kernels/*_stub{,s}.c", __dir__)].sort.freeze

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
