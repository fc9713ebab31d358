# frozen_string_literal: true

require_relative "finished_units"
require_relative "shop_arm"

module Soak
  # What fault_shim.c reads: which error writing to the store meets, and how far the clock is off.
  class FaultShim
    SOURCE = File.expand_path("fault_shim.c", __dir__)

    attr_reader :library

    # @param folder [String] for the library and its control file
    # @raise [Demo::Failure] there is no compiler
    def initialize(folder)
      @control = File.join(folder, "fault_shim.control")
      @library = File.join(folder, "fault_shim.so")
      set
      compiled = system("cc", "-std=gnu11", "-O1", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl")
      raise Demo::Failure, "#{SOURCE} can't be compiled" unless compiled
    end

    # @param error [Integer] errno of each write to the store's folder
    # @param offset_s [Integer] of the clock
    def set(error: 0, offset_s: 0)
      bytes = [error, offset_s * 1_000_000_000].pack("q<q<")
      File.open(@control, File::RDWR | File::CREAT) { |file| file.pwrite(bytes, 0) }
    end

    # @param store [String] folder
    # @return [Hash{String => String}] for the processes that it is loaded into
    def env(store)
      {"LD_PRELOAD" => library, "FAULT_SHIM" => @control, "FAULT_SHIM_FOLDER" => store}
    end
  end

  # The storefront with small file systems for its segments and its store, which can be full, and with counts
  # of what its processes have begun and finished.
  class FaultShop < ShopArm
    SEGMENTS_SIZE = "64m"
    STORE_SIZE = "48m"

    attr_reader :shim, :segments

    # @param options [SoakOptions]
    # @param redis [String] its URL
    # @param parent [String] folder
    def initialize(options:, redis:, parent:)
      @parent = parent
      @mounted = []
      @store_folder = mount("store", STORE_SIZE)
      @shim = FaultShim.new(parent)
      @units = FileUtils.mkdir_p(File.join(parent, "units")).first
      super(measured: true, options:, redis:, parent:)
    end

    # @return [Boolean] whether segments and store have file systems of their own
    def mounted? = @mounted.size == 2

    def env
      {**super, **shim.env(@store_folder), FinishedUnits::FOLDER => @units, "HOLDUP_CAPTURE" => nil}
    end

    # @return [FinishedUnits::UnitCounts] by the processes themselves
    def units = FinishedUnits.read(@units)

    # @return [Integer] requests and jobs in the store, those of names beyond the limit too
    def counted
      store = Holdup::Store.open(store_url, read_only: true)
      store.windows(0, 1 << 40, kinds: %i[request job overflow], histograms: []).sum(&:count)
    rescue Holdup::StoreError
      0
    ensure
      store&.close
    end

    # Asks the collector for a round at once.
    # @return [Integer] see #counted; without that round, which takes a moment
    def counted_now
      Holdup::Segment::Directory.new(segments).hurry
      counted
    end

    # @return [Boolean] whether both workers measure, and Sidekiq runs
    def whole?
      measuring = Holdup::Segment::Directory.new(segments).entries.select(&:alive).map(&:pid)
      (workers + [children.pid(:sidekiq)] - measuring).empty? && workers.size == WORKERS
    end

    WORKERS = 2

    # @return [Boolean] whether Puma calls this worker booted
    def booted?(worker) = File.read(puma_log).match?(/\(PID: #{worker}\) booted/)

    # @return [Array<String>] what Holdup has logged since the last call
    def sayings
      @read ||= Hash.new(0)
      [puma_log, "#{folder}/sidekiq.log"].flat_map do |path|
        lines = File.readlines(path).grep(/holdup: /)
        lines.drop(@read[path]).tap { @read[path] = lines.size }
      end
    end

    def master = children.pid(:puma)

    def workers = KernelFigures.workers(master)

    # @return [Integer] pid of the collector that leads
    def leading = leader

    def restart_sidekiq
      children.stop(:sidekiq)
      @jobs.start
    end

    # Takes all the space that is left while the block runs.
    # @param where [Symbol] :segments or :store
    # @yieldparam file [File] see #fill
    def filled(where)
      path = File.join((where == :store) ? @store_folder : segments, "filler")
      File.open(path, "wb") do |file|
        fill(file)
        yield file
      end
    ensure
      FileUtils.rm_f(path)
    end

    # Takes what has become free since.
    def fill(file)
      loop { file.syswrite("\0" * 4096) }
    rescue Errno::ENOSPC
      nil
    end

    def stop
      super
      @mounted.each { |path| system("umount", "--lazy", path) }
    end

    # Requests and jobs come in until #end_traffic.
    def start_traffic(seconds = 3600)
      super(seconds, after_s: 0)
    end

    # @return [Hash{String => String}] for a measured script of ours
    def script_env = {**@storefront.env, "HOLDUP_COLLECTOR" => "off"}

    private

    def puma_config = File.expand_path("puma.rb", __dir__)

    def jobs_file = File.expand_path("jobs.rb", __dir__)

    def puma_log = File.join(folder, "puma.log")

    def make_segments = mount("segments", SEGMENTS_SIZE)

    def store_path = File.join(@store_folder, "holdup.sqlite3")

    # @return [String] a folder; a file system of its own if this user may mount one
    def mount(name, size)
      path = FileUtils.mkdir_p(File.join(@parent, name)).first
      options = "size=#{size},mode=0700"
      @mounted << path if system("mount", "-t", "tmpfs", "-o", options, "tmpfs", path, err: File::NULL)
      path
    end
  end
end
