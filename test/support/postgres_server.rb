# frozen_string_literal: true

require "etc"
require "tmpdir"
require_relative "server_process"

# A real PostgreSQL of a test's own, behind a socket in a temporary folder: no port that somebody else could
# have, nothing flushed to disk, all of it gone afterwards. PostgreSQL refuses to run as root, so root becomes
# somebody else.
#
#   PostgresServer.run { |postgres| spawn({"DATABASE_URL" => postgres.url}, ...) }
#   PostgresServer.run(port: 15432) { |postgres| postgres.url } # also at 127.0.0.1, and its URL says so
class PostgresServer
  include ServerProcess

  PROGRAMS = Dir["/usr/lib/postgresql/*/bin"].max_by { |dir| dir[/\d+/].to_i }
  STAND_INS = %w[postgres nobody].freeze
  USER = "holdup"
  SETTINGS = {fsync: "off", full_page_writes: "off", autovacuum: "off",
              max_connections: 60, shared_buffers: "16MB", wal_level: "minimal", max_wal_senders: 0,
              listen_addresses: ""}.freeze

  class << self
    # @return [Boolean] whether the programs are on this machine
    def installed? = !PROGRAMS.nil?

    # @param port [Integer, nil] of 127.0.0.1; nil: it listens at its socket alone
    # @param connections [Integer] at most
    # @yieldparam postgres [PostgresServer] while it runs
    # @return [Object] the block's value
    def run(port: nil, connections: SETTINGS.fetch(:max_connections))
      postgres = new(port:, connections:).start
      yield postgres
    ensure
      postgres&.stop
    end
  end

  # @param replicated [Boolean] whether it may have replicas
  def initialize(port: nil, replicated: false, connections: SETTINGS.fetch(:max_connections))
    raise_unless_installed
    @port = port
    @replicated = replicated
    @connections = connections
    @folder = self.class.data_folder("holdup-pg")
    @user = Etc::Passwd.map(&:name).intersection(STAND_INS).first if Process.uid.zero?
    FileUtils.chown(@user, nil, @folder) if @user
  end

  # @return [self]
  def start
    run!("initdb", "--pgdata", data, "--username", USER, "--auth", "trust", "--encoding", "UTF8",
      "--no-locale", "--no-sync", "--no-instructions")
    start_again
  end

  # After `crash`.
  # @return [self]
  def start_again
    @pid = spawn_program("postgres", "-D", data, "-k", @folder,
      *settings.flat_map { |name, value| ["-c", "#{name}=#{value}"] })
    wait_until_it_answers
    self
  end

  # Ends without a goodbye to its clients, and recovers at the next start. (KILL would leave its children.)
  # @return [void]
  def crash = end_by(:QUIT)

  # @return [PostgresServer] one that follows this one, and takes no writes before it is promoted
  def replica = self.class.new(replicated: true).follow(at)

  # @param primary [Array<String>] options of its address
  # @return [self]
  def follow(primary)
    run!("pg_basebackup", *primary, "-U", USER, "-D", data, "-R", "-X", "stream", "--checkpoint=fast",
      "--no-sync")
    start_again
  end

  # @return [void]
  def promote = query("SELECT pg_promote()")

  # Ends all connections.
  # @return [void]
  def disconnect
    query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity " \
      "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")
  end

  # @param database [String]
  # @return [String] for DATABASE_URL
  def url(database = "postgres")
    return "postgresql://#{USER}@#{HOST}:#{@port}/#{database}" if @port
    "postgresql:///#{database}?host=#{@folder}&user=#{USER}"
  end

  # @param database [String] to make
  # @param template [String] the database that it copies, which may have no connection
  # @return [String] its URL
  def create(database, template: "template1")
    query("CREATE DATABASE #{database} TEMPLATE #{template}")
    url(database)
  end

  # @return [String] what the server has logged
  def log = File.read(log_path)

  # @return [String] what psql answers, a line for each row
  def query(sql, database: "postgres")
    run!("psql", *at, "-U", USER, "-d", database, "-v", "ON_ERROR_STOP=1", "-qAtc", sql).chomp
  end

  private

  # The fast shutdown: clients are sent away.
  def stop_signal = :INT

  def settings
    reached = @port ? {listen_addresses: HOST, port: @port} : {}
    replicated = @replicated ? {wal_level: "replica", max_wal_senders: 4} : {}
    {**SETTINGS, max_connections: @connections, **reached, **replicated}
  end

  def data = File.join(@folder, "data")

  # The socket's file has the port in its name.
  def at = ["-h", @folder, *(["-p", @port.to_s] if @port)]

  # setpriv becomes the program itself, so that its pid is the server's.
  def command(program, *arguments)
    path = File.join(PROGRAMS, program)
    @user ? ["setpriv", "--reuid", @user, "--regid", Etc.getpwnam(@user).gid.to_s, "--clear-groups", path,
      *arguments] : [path, *arguments]
  end

  def spawn_program(*words)
    Process.spawn(*command(*words), chdir: @folder, in: File::NULL, out: [log_path, "a"], err: %i[child out])
  end

  def run!(*words)
    output = IO.popen(command(*words), chdir: @folder, err: %i[child out], &:read)
    raise "#{words.first} failed:\n#{output}" unless $?.success?
    output
  end

  def answers?
    system(*command("pg_isready", "-q", *at, "-U", USER), chdir: @folder)
  end
end
