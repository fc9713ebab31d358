# frozen_string_literal: true

require "native/native_helper"
require "open3"
require "support/extension_sources"

# Other CPUs and C libraries: the whole extension compiles for arm64 and against musl without a warning, and
# what of it needs no Ruby (kernels/kernels.c) does there what it does here: on arm64 in qemu's user mode,
# with the counter of that CPU as its clock. Ruby's headers are this Ruby's.
class ArchitecturesTest < NativeTest
  thorough

  KERNELS = File.expand_path("../kernels", __dir__)
  WARNINGS = %w[-Wall -Wextra -Werror -Wno-unused-parameter].freeze
  FLAGS = ["-std=gnu11", "-O2", *WARNINGS, "-DHAVE_POSIX_FALLOCATE", "-DHAVE_MEMFD_CREATE",
    *ExtensionSources::HEADERS.map { |folder| "-I#{folder}" }].freeze

  # `compiler`; `runner`: what starts a program that it makes
  Architecture = Data.define(:compiler, :runner)
  HERE = Architecture.new(compiler: %w[gcc], runner: [])
  OTHERS = {
    "arm64" => Architecture.new(compiler: %w[aarch64-linux-gnu-gcc -static], runner: %w[qemu-aarch64]),
    "musl" => Architecture.new(compiler: %w[musl-gcc -static], runner: [])
  }.freeze

  # Other CPUs have a counter that is always right. Of this machine's, its kernel decides.
  COUNTERS = {"arm64" => ["1"]}.freeze

  # @return [Hash{String => Array<String>}] what the kernels print
  def self.here = @here ||= Dir.mktmpdir { |folder| printed(HERE, folder) }

  # @yieldparam command [Array<String>] compiler with its flags
  # @yieldparam path [String] of the file to make
  # @return [String] path of the file
  def self.made(name, architecture, sources)
    command = [*architecture.compiler, *FLAGS]
    read = ExtensionSources.all | Dir[File.join(KERNELS, "*.{c,h}")]
    names = sources.map { |file| File.basename(file) }
    portable = command.map { |option| option.sub(ExtensionSources::FOLDER, "") } + names
    CompileCache.fetch(name, portable, read) { |path| yield command, path }
  end

  # Builds the kernels and runs them in that folder.
  def self.printed(architecture, folder)
    sources = Dir[File.join(KERNELS, "*.c")] + ExtensionSources::WITHOUT_RUBY
    program = made("kernels", architecture, sources) do |command, path|
      run_command(*command, *sources, "-lm", "-o", path)
    end
    lines = run_command(*architecture.runner, program, folder).lines(chomp: true)
    lines.map { |line| line.split(" ", 2) }.group_by(&:first).transform_values { |pairs| pairs.map(&:last) }
  end

  # @return [Integer] bytes of what the file is compiled to
  def self.object_size(command, file)
    Dir.mktmpdir do |folder|
      object = File.join(folder, "object.o")
      run_command(*command, "-c", file, "-o", object)
      File.size(object)
    end
  end

  def self.run_command(*command)
    output, status = Open3.capture2e(*command)
    raise "#{command.join(" ")}:\n#{output}" unless status.success?
    output
  end

  OTHERS.each do |name, architecture|
    define_method(:"test_the_extension_compiles_for_#{name}") do
      sources = ExtensionSources.compiled
      sizes = self.class.made("sizes", architecture, sources) do |command, path|
        File.write(path, sources.map { |file| self.class.object_size(command, file) }.join("\n"))
      end
      assert_equal sources.size, File.readlines(sizes).map { |size| Integer(size) }.count(&:positive?)
    end

    test = define_method(:"test_kernels_compute_on_#{name}_what_they_compute_here") do
      Dir.mktmpdir do |folder|
        there = self.class.printed(architecture, folder)
        %w[histogram_slots units_wrong replay_done replay_stalled_us replay_response_us].each do |kernel|
          assert_equal self.class.here.fetch(kernel), there.fetch(kernel), kernel
        end
        assert_equal ["0"], there.fetch("units_wrong")
        assert_clock there, counter: COUNTERS.fetch(name) { self.class.here.fetch("clock_counter") }
        assert_read there.fetch("segment"), File.join(folder, "segment")
      end
    end
    one_ruby test
  end

  private

  # An emulated CPU computes at another speed from moment to moment; its clock does not.
  # @param counter [Array<String>] whether ticks are those of the CPU's own counter
  def assert_clock(printed, counter:)
    assert_equal counter, printed.fetch("clock_counter"), "ticks of the CPU's own counter"
    assert_equal ["0"], printed.fetch("clock_backwards")
    assert_operator Float(printed.fetch("clock_worst_ratio").first), :<, 1.01
  end

  # Our reader finds what the program says that it has written.
  # @param said [Array<String>] name, units and their elapsed ns of each series
  def assert_read(said, path)
    slots = Holdup::Segment::Reader.open(path, gone: true) { |reader| reader.snapshot.slots }
    units = slots.select { |slot| %i[request job].include?(slot.series.kind) }
    found = units.map { |slot| [slot.series.name, slot.count, slot.histogram(:wall).sum].join(",") }
    assert_equal said.sort, found.sort
  end
end
