# frozen_string_literal: true

require "etc"
require "tmpdir"
require_relative "server_process"

# A real MariaDB of a test's own, behind a socket in a temporary folder: nothing flushed to disk, all of it
# gone afterwards.
#
#   MariadbServer.shared.url("holdup")
class MariadbServer
  include ServerProcess

  PROGRAM = %w[/usr/sbin/mariadbd /usr/sbin/mysqld].find { |path| File.executable?(path) }
  SETTINGS = {
    "innodb-flush-log-at-trx-commit" => 2, "innodb-flush-method" => "nosync", "innodb-doublewrite" => "OFF",
    "innodb-buffer-pool-size" => "32M", "innodb-log-file-size" => "8M", "aria-log-purge-type" => "immediate",
    "aria-pagecache-buffer-size" => "8M", "key-buffer-size" => "64K", "performance-schema" => "OFF",
    "max-connections" => 60, "skip-name-resolve" => nil, "skip-networking" => nil, "skip-log-bin" => nil
  }.freeze

  class << self
    # @return [Boolean] whether the program is on this machine
    def installed? = !PROGRAM.nil?
  end

  def initialize
    raise_unless_installed
    @folder = self.class.data_folder("holdup-maria")
    @user = Etc.getpwuid.name
  end

  # @return [self]
  def start
    run!("mariadb-install-db", "--no-defaults", "--datadir=#{data}", "--user=#{@user}", "--skip-test-db",
      "--auth-root-authentication-method=normal", "--skip-name-resolve")
    start_again
  end

  # After `crash`.
  # @return [self]
  def start_again
    options = settings.map { |name, value| value ? "--#{name}=#{value}" : "--#{name}" }
    @pid = Process.spawn(PROGRAM, "--no-defaults", "--datadir=#{data}", "--socket=#{socket}",
      "--pid-file=#{@folder}/pid", "--user=#{@user}", *options, in: File::NULL, out: [log_path, "a"],
      err: %i[child out])
    wait_until_it_answers
    self
  end

  # @return [String] for Store.open
  def url(database, user: "root", password: nil)
    url = "trilogy:///#{database}?socket=#{socket}&user=#{user}"
    password ? "#{url}&password=#{password}" : url
  end

  # @return [String] URL of a new database
  def create(database)
    query("CREATE DATABASE #{database}")
    url(database)
  end

  # @return [String] what the client prints, a line for each row
  def query(sql)
    run!("mariadb", "--no-defaults", "--socket=#{socket}", "-u", "root", "-BNe", sql).chomp
  end

  # Ends all connections.
  # @return [void]
  def disconnect
    ids = query("SELECT id FROM information_schema.processlist " \
      "WHERE command <> 'Daemon' AND id <> connection_id()").lines
    ids.each { |id| query("KILL #{id}") }
  end

  # @return [String] the folder of its databases
  def data = File.join(@folder, "data")

  private

  def settings = SETTINGS

  def socket = File.join(@folder, "s")

  def run!(*words)
    output = IO.popen(words, chdir: @folder, err: %i[child out], &:read)
    raise "#{words.first} failed:\n#{output}" unless $?.success?
    output
  end

  def answers?
    system("mariadb-admin", "--no-defaults", "--socket=#{socket}", "-u", "root", "ping",
      out: File::NULL, err: File::NULL)
  end
end
