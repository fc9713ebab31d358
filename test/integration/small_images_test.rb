# frozen_string_literal: true

require "test_helper"
require "json"
require "open3"

# What small images and strict platforms take away: an application and its collector measure and store all the
# same. Each is a mount namespace of its own, or a process with fewer rights; Docker is not needed.
class SmallImagesTest < Minitest::Test
  thorough

  include TemporaryFolder

  ROOT = ServedApp::ROOT
  # No system knows it, and it has no home.
  USER = AsNobody::UNKNOWN.to_s
  NAMESPACE = %w[unshare --mount --pid --fork --kill-child --mount-proc sh -euc].freeze
  # Docker's size, unless --shm-size says another.
  SHARED_MEMORY = "mount -t tmpfs -o size=64m,mode=1777 tmpfs /dev/shm"
  # Of an image that has only what a program can't do without.
  NO_SHARED_MEMORY = <<~SH
    mkdir -p "$1/dev"
    mount -t tmpfs -o size=1m,mode=755 tmpfs "$1/dev"
    mknod -m 666 "$1/dev/null" c 1 3
    mknod -m 666 "$1/dev/urandom" c 1 9
    mount --bind "$1/dev" /dev
    mount -t tmpfs -o ro,mode=755,size=4k tmpfs /run
  SH
  # The store's volume is what may be written.
  READ_ONLY_ROOT = <<~SH
    mount -t tmpfs -o mode=1777 tmpfs "$1"
    mount -o remount,bind,ro /
  SH
  # A distroless image: Ruby is the only program, without a shell beside it.
  NO_PROGRAMS = <<~SH.freeze
    mkdir -p "$1/bin"
    cp "#{RbConfig.ruby}" "$1/bin/"
    for place in /usr/local/bin /usr/local/sbin /sbin /bin /usr/sbin; do
      [ -L $place ] || mount --bind "$1/bin" $place
    done
    mount --bind "$1/bin" /usr/bin
  SH
  HIDDEN_PROCESSES = "mount -t proc -o hidepid=invisible proc /proc"

  # Everything is loaded first, as this user may not read our gems.
  SCRIPT = <<~'RUBY'
    require "holdup"
    require "holdup/loader"
    require "json"
    Holdup.send(:const_get, :LOADER).eager_load
    volume, user = ARGV
    first = Holdup::Store.open("sqlite://#{volume}/first.sqlite3")
    first.windows(0, 1).to_a
    first.close
    Dir.mkdir("#{volume}/data", 0o700)
    if user
      File.chown(user.to_i, user.to_i, "#{volume}/data")
      Process::GID.change_privilege(user.to_i)
      Process::UID.change_privilege(user.to_i)
    end
    url = "sqlite://#{volume}/data/store.sqlite3"
    Holdup.configure do |config|
      config.collector = :thread
      config.store = url
      config.tick_seconds = 0.1
    end
    abort "does not start" unless Holdup.start
    3.times { Holdup.measure("Try") { 1 } }
    place = Holdup::Configuration::SegmentLocation.find(nil)
    links = Dir["#{place.dir}/*.segment"].map { |path| File.symlink?(path) }
    Holdup.stop
    store = Holdup::Store.open(url)
    counted = store.windows(0, 2**40).select { |window| window.series.name == "Try" }
    shells = %w[/bin/sh /usr/bin/env].select { |path| File.exist?(path) }
    puts JSON.generate(dir: place.dir, links:, shells:, count: counted.sum(&:count))
  RUBY

  def setup = FileUtils.chmod(0o755, folder)

  def test_shared_memory_of_docker_and_a_user_without_a_home
    found = measure_in(SHARED_MEMORY, USER)
    assert_equal "/dev/shm/holdup-#{USER}", found["dir"]
    assert_equal [false], found["links"]
  end

  def test_a_root_file_system_that_is_read_only
    found = measure_in(SHARED_MEMORY + "\n" + READ_ONLY_ROOT, USER)
    assert_equal "/dev/shm/holdup-#{USER}", found["dir"]
  end

  # What is measured is in memory without a name then, and /tmp has a link to it.
  def test_no_shared_memory
    found = measure_in(NO_SHARED_MEMORY)
    assert_equal ["/tmp/holdup-#{Process.uid}", [true]], found.values_at("dir", "links")
  end

  def test_no_shell_and_no_program_but_ruby
    found = measure_in(SHARED_MEMORY + "\n" + NO_PROGRAMS)
    assert_equal ["/dev/shm/holdup-#{Process.uid}", []], found.values_at("dir", "shells")
  end

  def test_processes_of_others_are_hidden
    found = measure_in(SHARED_MEMORY + "\n" + HIDDEN_PROCESSES, USER)
    assert_equal [false], found["links"]
  end

  def test_no_new_privileges_and_the_calls_that_docker_blocks
    program = File.join(folder, "docker_seccomp")
    source = File.join(ROOT, "test/support/docker_seccomp.c")
    said, status = Open3.capture2e("cc", "-O1", "-o", program, source)
    assert_predicate status, :success?, said
    _, blocked = Open3.capture2e(program, "unshare", "--mount", "true")
    refute_predicate blocked, :success?, "nothing is blocked"
    assert_measured(*ruby.unshift(program), environment: {"HOLDUP_DIR" => File.join(folder, "segments")})
  end

  private

  # @return [Hash] what the script printed
  def measure_in(setup, *user)
    namespace = Open3.capture2e(*NAMESPACE, SHARED_MEMORY).last
    skip "a mount namespace needs root" unless namespace.success?
    assert_measured(*NAMESPACE, "#{setup}\nshift\nexec \"$@\"", "sh", folder, *ruby(*user))
  end

  def ruby(*user)
    [RbConfig.ruby, "-W0", "-I#{ROOT}/lib", "-e", SCRIPT, folder, *user]
  end

  def assert_measured(*command, environment: {})
    none = {"HOME" => nil, "XDG_STATE_HOME" => nil, "HOLDUP_STORE" => nil}
    said, err, status = Open3.capture3({**none, **environment}, *command)
    assert_predicate status, :success?, said + err
    assert_empty err.lines.grep(/error|failed|can't/i)
    found = JSON.parse(said.lines.last)
    assert_equal 3, found["count"], err
    found
  end
end
