# frozen_string_literal: true

require "fileutils"
require "tmpdir"

module Holdup
  module Lab
    # The temporary folders of an experiment. Segments belong in memory; without /dev/shm they are on disk.
    module Folders
      SHARED_MEMORY = "/dev/shm"
      PREFIX = "holdup-lab-"

      # @yieldparam folders [Hash{Symbol => String}] `folder` for logs and stores, `segments`
      # @return [Object] the block's value; the folders are removed
      def self.open
        folder = temporary(PREFIX)
        segments = Dir.mktmpdir(PREFIX, File.writable?(SHARED_MEMORY) ? SHARED_MEMORY : nil)
        yield({folder:, segments:})
      ensure
        FileUtils.rm_rf([folder, segments].compact)
      end

      # @return [String] a new folder
      # @raise [Error] there is no place for it
      def self.temporary(prefix)
        Dir.mktmpdir(prefix)
      rescue ArgumentError, SystemCallError => error
        raise Error.new("there is no folder for temporary files (#{error.message})",
          "set TMPDIR to one that this user may write to")
      end
    end
  end
end
