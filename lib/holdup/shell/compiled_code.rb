# frozen_string_literal: true

module Holdup
  # Keeps the files that a command loads in the form in which Ruby runs them, in the user's cache folder:
  # reading and compiling the same files again takes longer than most answers. Only exe/holdup uses this, not
  # an application's process.
  #
  # A kept file is a header, which says what it was made of, and what Ruby made. Where something is wrong with
  # the folder or with a file in it, Ruby compiles as usual.
  class CompiledCode
    # One folder for each Ruby and copy of Holdup; the oldest ones are removed.
    KEPT_FOLDERS = 5
    # Inode, time of change in ns and size of the source, and the sum of the bytes that follow: of a file that
    # was being written when the machine stopped, the size can be complete but not the content.
    HEADER = "Q4"
    HEADER_BYTES = 32
    # The longest name of a file that every file system takes.
    NAME_BYTES = 240

    # What Ruby asks before it compiles a file.
    module Loading
      def load_iseq(path) = CompiledCode.current.fetch(path)
    end

    class << self
      attr_reader :current

      # Begins for all files that this process loads from now on.
      # @param env [Hash{String => String}]
      # @param root [String] folder of this copy of Holdup
      def use(env, root:)
        return unless defined?(RubyVM::InstructionSequence.load_from_binary)
        # Another library does the same, or counts lines, which a kept file doesn't tell.
        return if RubyVM::InstructionSequence.respond_to?(:load_iseq) || defined?(Coverage)
        folder = folder(env, root)
        return unless folder
        @current = new(folder)
        RubyVM::InstructionSequence.singleton_class.prepend(Loading)
      end

      private

      # @return [String, nil] nil: this user has no home folder, or it can't be written or is another user's
      def folder(env, root)
        caches = env["XDG_CACHE_HOME"].to_s
        unless caches.start_with?("/")
          home = env.fetch("HOME")
          return unless File.directory?(home) # of a system user it is often one that nobody made
          caches = File.join(home, ".cache")
        end
        all = File.join(caches, "holdup", "code")
        ruby = "#{RUBY_VERSION}-#{RUBY_REVISION[0, 10]}-#{RUBY_PLATFORM}"
        folder = File.join(all, "#{ruby}#{root.tr("/", "%")}"[0, NAME_BYTES])
        make(folder) unless File.directory?(folder)
        folder if private?(folder)
      rescue KeyError, SystemCallError
        nil
      end

      def make(folder)
        require "fileutils"
        FileUtils.mkdir_p(folder, mode: 0o700)
        folders = Dir["#{File.dirname(folder)}/*"].sort_by { |one| File.mtime(one) }
        FileUtils.rm_rf(folders[0...-KEPT_FOLDERS])
      end

      # What is read there is run with this user's rights.
      def private?(folder)
        stat = File.stat(folder)
        stat.owned? && stat.mode.nobits?(0o022)
      end
    end

    # @param folder [String]
    def initialize(folder)
      @folder = folder
    end

    # @param path [String] of a file in Ruby
    # @return [RubyVM::InstructionSequence, nil] nil: Ruby has to compile it
    def fetch(path)
      name = path.tr("/", "%")
      return if name.bytesize > NAME_BYTES
      kept = File.join(@folder, name)
      source = described(path)
      code = read(kept, source)
      return RubyVM::InstructionSequence.load_from_binary(code) if code
      compile(path, kept, source) unless @unwritable
    rescue SystemCallError, RuntimeError, SyntaxError # Ruby raises its own of the source
      nil
    end

    private

    def described(path)
      stat = File.stat(path)
      time = stat.mtime
      [stat.ino, time.to_i * 1_000_000_000 + time.nsec, stat.size]
    end

    # @return [String, nil] nil: there is none of this source
    def read(kept, source)
      whole = File.binread(kept)
      *made_of, sum = whole.unpack(HEADER)
      return unless made_of == source
      code = whole.byteslice(HEADER_BYTES..)
      code if code.sum(64) == sum
    rescue Errno::ENOENT
      nil
    end

    def compile(path, kept, source)
      compiled = RubyVM::InstructionSequence.compile_file(path)
      code = compiled.to_binary
      write(kept, [*source, code.sum(64)].pack(HEADER) + code)
      compiled
    end

    # Where this fails, it would fail for the other files too, which take time.
    def write(kept, whole)
      unfinished = "#{kept}.#{Process.pid}"
      File.binwrite(unfinished, whole, perm: 0o600)
      File.rename(unfinished, kept)
    rescue SystemCallError
      @unwritable = true
      begin
        File.unlink(unfinished)
      rescue SystemCallError
        nil
      end
    end
  end
end
