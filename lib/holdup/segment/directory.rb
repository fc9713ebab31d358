# frozen_string_literal: true

require_relative "../model/utf8"
require_relative "anonymous_file"
require_relative "owner_process"
require_relative "reader"

module Holdup
  module Segment
    # The folder where the processes of one user on one host have their segments. The name of a file is
    # "<pid>-<start>.segment", with "-<n>" before the dot for a process that stopped and started measuring
    # again.
    class Directory
      NAME = /\A(\d{1,10})-(\d{1,20})(?:-(\d{1,6}))?\.segment\z/
      BESIDE = /\A\d{1,10}-\d{1,20}(?:-\d{1,6})?(\.[a-z]+)\z/
      LOCK = "collector.lock"
      HURRY = "collector.hurry"

      # One segment. `path` is absolute; `alive` whether its process runs, as far as
      # the process table `namespace` shows; `link` whether only a link is there, and `file`
      # what it leads to, opened.
      DirectoryEntry = Data.define(:path, :pid, :start, :alive, :namespace, :link, :file) do
        def initialize(path:, pid:, start:, alive:, namespace: 0, link: false, file: nil)
          super
        end

        # @return [String] file name
        def name = File.basename(path)

        # @param header [Header]
        # @return [Boolean] its process is of our own process table and not in it: nothing can come any more
        def dead?(header)
          !alive && namespace.positive? && header.namespace == namespace
        end

        # @return [Boolean] its process ended before anybody had its memory open
        def lost?
          link && file.nil?
        end

        # @yieldparam reader [Reader]
        # @return [Object] what the block gives
        # @raise [SegmentError, SystemCallError]
        def read(&)
          raise SegmentError::Lost.new(path:) if lost?
          file ? yield(Reader.over(file, path:, gone: !alive)) : Reader.open(path, gone: !alive, &)
        end
      end

      # @return [String] absolute
      attr_reader :path

      # @param path [String]
      # @param owner [OwnerProcess]
      # @param anonymous [AnonymousFile]
      def initialize(path, owner: OwnerProcess.new, anonymous: AnonymousFile.new)
        @path = Utf8.of(File.expand_path(path))
        @owner = owner
        @anonymous = anonymous
      end

      # @return [Array<DirectoryEntry>] by name
      # @raise [SystemCallError] the folder can't be read
      def entries
        names = Dir.children(@path).select(&:ascii_only?).sort
        found = names.filter_map { |name| entry(name) }
        @anonymous.keep(found.select(&:link).map(&:path))
        found
      end

      # @return [String]
      def lock_path = File.join(@path, LOCK)

      # @return [Boolean] whether there has been a collector since the folder was made
      def ever_collected? = File.exist?(lock_path)

      # Asks the collector for a round now: it looks once a second whether somebody has.
      # @return [void]
      # @raise [SystemCallError]
      def hurry
        File.open(hurry_path, File::WRONLY | File::CREAT | File::NOFOLLOW, 0o600) { |file| file.write("#{Process.pid}\n") }
      end

      # @return [Time, nil] when somebody asked last
      def hurried_at
        File.mtime(hurry_path)
      rescue SystemCallError
        nil
      end

      # What processes have left beside their segments; other files are none of ours.
      # @param suffixes [Array<String>]
      # @return [Array<String>] paths, by name
      def beside(*suffixes)
        names = Dir.children(@path).select(&:ascii_only?).sort
        names.select { |name| BESIDE.match(name)&.then { |match| suffixes.include?(match[1]) } }.map { |name|
          File.join(@path, name)
        }
      end

      # Makes the folder, for this user only.
      # @return [void]
      # @raise [SystemCallError]
      def create
        Dir.mkdir(@path, 0o700)
      rescue Errno::EEXIST
        nil
      end

      # @return [Boolean] whether a collector holds the lock now
      def collected?
        File.open(lock_path) { |file| !file.flock(File::LOCK_SH | File::LOCK_NB) }
      rescue SystemCallError
        false
      end

      private

      def hurry_path = File.join(@path, HURRY)

      def entry(name)
        pid, start = NAME.match(name)&.captures&.first(2)&.map(&:to_i)
        return unless pid
        path = File.join(@path, name)
        link = File.symlink?(path)
        DirectoryEntry.new(path:, pid:, start:, alive: @owner.alive?(pid, start),
          namespace: @owner.namespace, link:, file: link ? @anonymous.file(path, pid) : nil)
      end
    end
  end
end
