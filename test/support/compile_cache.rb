# frozen_string_literal: true

require "digest"
require "fileutils"
require "open3"
require "rbconfig"

# What tests compile of the same sources with the same compiler, kept in bin/setup's cache folder: CI starts
# from a fresh clone, whose sources are mostly those of the run before. Without that folder it is compiled.
module CompileCache
  KEPT = 60

  class << self
    # @param name [String] of the file that is made
    # @param command [Array<String>] compiler and options; the compiler's version counts too
    # @param sources [Array<String>] all files that it reads
    # @yieldparam path [String] where the block makes it
    # @return [String] its path, with that name: for reading alone
    def fetch(name, command, sources, &)
      made = File.join(folder, key(command, sources))
      File.exist?(made) ? FileUtils.touch(made) : make(name, made, &)
      File.join(made, name)
    end

    private

    def make(name, made)
      unfinished = "#{made}.#{Process.pid}"
      FileUtils.mkdir_p(unfinished)
      yield File.join(unfinished, name)
      File.rename(unfinished, made)
      forget_oldest
    rescue Errno::ENOTEMPTY, Errno::EEXIST
      nil # another run has made it meanwhile
    ensure
      FileUtils.rm_rf(unfinished)
    end

    def folder
      @folder ||= ENV.key?("HOLDUP_CACHE") ? File.join(ENV["HOLDUP_CACHE"], "compiled_by_tests") : temporary
    end

    def temporary
      Dir.mktmpdir.tap { |path| Minitest.after_run { FileUtils.remove_entry(path) } }
    end

    def key(command, sources)
      version, = Open3.capture2e(command.first, "--version")
      texts = sources.sort.map { |file| [File.basename(file), File.binread(file)] }
      Digest::SHA256.hexdigest([RUBY_DESCRIPTION, RbConfig.ruby, command, version, texts].inspect)[0, 24]
    end

    def forget_oldest
      made = Dir.children(folder).map { |name| File.join(folder, name) }
      made.sort_by { |path| File.mtime(path) }[0...-KEPT].each { |path| FileUtils.rm_rf(path) }
    end
  end
end
